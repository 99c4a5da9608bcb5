"""A hook of mkdocs: links from a page to files outside docs/ lead to the repository."""

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
LINK = re.compile(r"\]\(((?:\.\./)+[^)\s#]*)")


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: Any) -> str:
    """Return the page's Markdown with its links to files of the repository made absolute."""
    folder = (ROOT / "docs" / page.file.src_uri).parent

    def absolute(link: re.Match[str]) -> str:
        target = (folder / link[1]).resolve()
        if target.is_relative_to(ROOT / "docs"):
            return link[0]
        kind = "tree" if target.is_dir() else "blob"
        return f"]({config.repo_url}/{kind}/main/{target.relative_to(ROOT).as_posix()}"

    return LINK.sub(absolute, markdown)
