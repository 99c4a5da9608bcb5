"""Upkeep of memories: health, consolidation, decay, reindexing."""
