"""What goes in and comes out: one module a toolset, requests and answers; nothing of how."""
