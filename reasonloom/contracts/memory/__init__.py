"""Requests and answers of the memory tools."""
