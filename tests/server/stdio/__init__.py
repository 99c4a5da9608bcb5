"""Tests of stdio."""
