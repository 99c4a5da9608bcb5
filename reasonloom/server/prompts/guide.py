"""The guide to the tools for agents, as a skill and as a prompt."""

from pathlib import Path


def read_guide() -> str:
    """Return the guide as a skill: front matter, then Markdown."""
    return Path(__file__).with_suffix(".md").read_text(encoding="utf-8")
