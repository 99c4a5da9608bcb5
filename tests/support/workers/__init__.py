"""Worker processes and how they are killed."""
