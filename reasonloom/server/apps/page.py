"""One page for hosts with MCP Apps: an HTML document that needs no other file."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from string import Template

from reasonloom import __version__

ROOT = resources.files(__package__)
URI = "ui://reasonloom/{name}"
IMPORT = re.compile(r'^import (?:\{[^}]*\} from )?"\.{1,2}/([^"]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=const|class|function|async)", re.MULTILINE)
COMMENT = re.compile(r"^(?://.*|/\*\*.*\*/)\n", re.MULTILINE)
STYLES = ("drawing/drawing.css", "pages/page.css")


@dataclass(frozen=True, slots=True)
class AppPage:
    """One page: `pages/<name>.js` draws the answers of `tools`, and reads `views` for more."""

    name: str
    title: str
    tools: tuple[str, ...]
    views: tuple[str, ...] = ()

    @property
    def uri(self) -> str:
        """The URI under which hosts read it."""
        return URI.format(name=self.name)

    def html(self, served: Sequence[str]) -> str:
        """Return the document; it may call its views and the tools that are `served`."""
        names = sorted({*served, *self.views})
        config = json.dumps({"served": names, "version": __version__})
        return _template().substitute(
            title=self.title,
            style="\n".join(map(_text, STYLES)),
            served=config.replace("<", "\\u003c"),
            script=script(f"pages/{self.name}.js"),
        )


@cache
def script(entry: str) -> str:
    """Return a module and all that it imports as one script, each module once.

    Imports and the word `export` are taken out, so names must be unique among all modules.
    """
    return "\n".join(_modules(entry, set()))


def _modules(path: str, seen: set[str]) -> Iterator[str]:
    if path in seen:
        return
    seen.add(path)
    text = _text(path)
    for found in IMPORT.finditer(text):
        name = found[1]
        yield from _modules(name if "/" in name else f"{path.rpartition('/')[0]}/{name}", seen)
    yield EXPORT.sub("", COMMENT.sub("", IMPORT.sub("", text)))


@cache
def _text(path: str) -> str:
    return ROOT.joinpath(path).read_text(encoding="utf-8")


@cache
def _template() -> Template:
    return Template(_text("pages/page.html"))
