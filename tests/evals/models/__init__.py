"""Tests of the labelled triggers and of their eval."""
