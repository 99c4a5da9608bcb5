"""Transcripts read from files: turns, and the chunks they are stored in. No database.

`claude_code.read` and `plain.read` give turns, `chunking.Chunker` cuts them.
"""
