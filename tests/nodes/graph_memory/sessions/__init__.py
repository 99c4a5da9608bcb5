"""Tests of reasoning sessions."""
