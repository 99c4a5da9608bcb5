"""One server for many hosts."""
