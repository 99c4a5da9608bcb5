"""Tests of databases."""
