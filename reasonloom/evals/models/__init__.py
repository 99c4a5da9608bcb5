"""Labelled triggers and messages, by which the firing of templates is judged."""
