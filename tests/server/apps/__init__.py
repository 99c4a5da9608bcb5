"""Tests of pages for hosts with MCP Apps."""
