"""Carries out heavy calls in a process of lower priority, so that they hold up nobody's others."""
