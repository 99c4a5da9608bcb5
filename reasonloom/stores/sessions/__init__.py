"""Storage of reasoning sessions."""
