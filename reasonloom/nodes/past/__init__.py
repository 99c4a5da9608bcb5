"""The steps of the tools of past conversations."""
