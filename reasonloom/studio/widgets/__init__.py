"""Elements that pages of every domain use."""
