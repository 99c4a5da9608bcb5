"""What judges share: several viewpoints in one call, and findings that are joined."""
