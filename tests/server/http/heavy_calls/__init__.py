"""Tests of the process that carries out heavy calls."""
