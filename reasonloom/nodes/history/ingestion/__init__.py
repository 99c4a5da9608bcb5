"""Ingestion of transcript files."""
