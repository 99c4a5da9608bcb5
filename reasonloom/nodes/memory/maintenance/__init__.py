"""Memory maintenance: health, consolidation, decay, reindexing and review."""
