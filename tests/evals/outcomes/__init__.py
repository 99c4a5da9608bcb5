"""Tests of the labelled outcomes and of their eval."""
