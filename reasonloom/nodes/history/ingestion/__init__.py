"""Steps of ingestion."""
