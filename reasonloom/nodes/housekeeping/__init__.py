"""Looking after what is remembered: batches, export and import, health, consolidation."""
