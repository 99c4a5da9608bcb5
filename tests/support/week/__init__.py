"""A week of a small project, worked by a scripted agent over MCP: `python -m tests.support.week`.

`week.txt` and `questions.jsonl` were written before anything answered them.
"""
