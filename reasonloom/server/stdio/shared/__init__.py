"""One server process for many hosts, over a Unix socket."""
