"""Studio pages of reasoning sessions."""
