"""Reads transcripts from files and cuts their turns into chunks. Uses no database.

`claude_code.read`, `plain.read_jsonl` and `plain.read_text` return turns, `chunking.Chunker`
chunks them.
"""
