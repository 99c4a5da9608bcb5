"""Tests of ingestion."""
