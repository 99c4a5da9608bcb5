"""Studio pages of widgets."""
