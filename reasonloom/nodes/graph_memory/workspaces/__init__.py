"""Steps of workspaces."""
