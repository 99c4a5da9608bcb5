"""Past conversations read from files: turns, and the chunks they are kept in. A leaf, no database.

`claude_code.read` and `plain.read` give turns, `chunks.Cutter` cuts them, `tokens.count` measures.
"""
