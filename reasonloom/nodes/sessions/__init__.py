"""Steps of reasoning sessions."""
