"""YAML front matter of Markdown files; and memories as such files, without loss.

A memory's file has every field of an export's line in its front matter, except the content, which
is the body, exactly. `title` and `links` are for people and for Obsidian, and are not read.
"""

import re
from collections.abc import Mapping
from typing import Any

import yaml

from reasonloom.importers.records import BadRecordError, Link, Record, plain

FORMAT = "reasonloom-memory"
VERSION = 1
FOR_PEOPLE = ("format", "version", "title", "links")
TITLE_LENGTH = 60
BLOCK = re.compile(r"---[ \t]*\r?\n(?P<front>.*?\n)??---[ \t]*(?:\r?\n|\Z)", re.S)
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Return the front matter, {} if there is none, and the body that follows it.

    Raises:
        BadRecordError: it is not YAML, has aliases, or is no mapping.
    """
    block = BLOCK.match(text)
    if not block:
        return {}, text
    front = block["front"] or ""
    example = "must be fields in YAML, such as title: Tea"
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(front, Loader=LOADER)):
            raise BadRecordError(f"front matter: {example}; aliases (*name) are not read")
        found = yaml.load(front, Loader=LOADER)  # noqa: S506 - a safe loader
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        if isinstance(error, BadRecordError):
            raise
        mark = getattr(error, "problem_mark", None)
        place = f" (line {mark.line + 2})" if mark else ""
        raise BadRecordError(f"front matter{place}: {example}") from None
    if found is not None and not isinstance(found, dict):
        raise BadRecordError(f"front matter: {example}")
    return plain(found or {}), text[block.end() :]


def memory_as_markdown(line: Mapping[str, Any]) -> str:
    """Return the file of a memory, given as a line of an export without vectors."""
    words = " ".join(str(line["content"]).split())
    session = line.get("session", {})
    if "name" in session:  # the id is made of it, and of the owner
        line = {**line, "session": {"name": session["name"]}}
    links = dict.fromkeys(edge["target"] for edge in line.get("edges", ()))
    front = {
        "format": FORMAT,
        "version": VERSION,
        "title": words[:TITLE_LENGTH],
        **{name: value for name, value in line.items() if name != "content"},
        **({"links": [f"[[{target}]]" for target in links]} if links else {}),
    }
    dumped = yaml.dump(front, Dumper=DUMPER, allow_unicode=True, sort_keys=False)
    return f"---\n{dumped}---\n{line['content']}\n"


def memory_from_markdown(where: str, front: Mapping[str, Any], body: str) -> Record:
    """Return the memory of a file that `memory_as_markdown` made.

    Raises:
        BadRecordError: it has a newer version of the format, or its edges are malformed.
    """
    version = front.get("version")
    if version != VERSION:
        raise BadRecordError(f"version: {version} of the format is not known, only {VERSION}")
    fields = {name: value for name, value in front.items() if name not in FOR_PEOPLE}
    key, superseded_by = str(fields.pop("id", where)), fields.pop("superseded_by", None)
    edges, provenance = fields.pop("edges", ()), fields.pop("provenance", {})
    try:
        links = tuple(_link(**edge) for edge in edges)
        origin = provenance.get("origin")
        fields["metadata"] = dict(fields.get("metadata") or {})
    except (AttributeError, TypeError, ValueError):
        raise BadRecordError(
            "edges: must be a list of {target, type, weight}; provenance and metadata: objects"
        ) from None
    content = body.removesuffix("\n")
    return Record(
        key, where, {**fields, "content": content}, {}, links, None, origin, superseded_by
    )


def _link(
    target: str,
    type: str,  # noqa: A002 - the name in the file
    weight: float = 1.0,
    origin: str = "import",
    created_at: str | None = None,
) -> Link:
    return Link(target, type, weight, origin, created_at)
