"""`reasonloom space` and `reasonloom team`."""
