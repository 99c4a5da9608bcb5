"""Reads Markdown: folders of notes as of basic-memory or Obsidian, and Claude Code's memory files.

A short note becomes one memory, a long one a memory for each section. List items of the form
`- [category] text #tag (context)` and `- relation [[Other note]] (context)` become memories of
their own; a link `[[Other note]]` elsewhere only links the notes.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from reasonloom.errors import InvalidArgument
from reasonloom.importers.front_matter import FORMAT, memory_from_markdown, split_front_matter
from reasonloom.importers.records import (
    BadRecordError,
    Entries,
    Link,
    Record,
    Skipped,
    kind_of,
    moment_in,
    read_text,
    relation_record,
    texts_in,
)

LONG_NOTE = 4_000
"""Characters from which on each section of a note is a memory of its own."""

OBSERVATION = re.compile(
    r"(?:\[(?P<category>[^\[\]()]+)\][ \t]+)?(?P<text>.+?)(?:[ \t]+\((?P<context>[^()]+)\))?", re.S
)
NO_CATEGORY = re.compile(r"[xX]|[^\w]|\d{1,3}:\d\d(?::\d\d)?(?:[.,]\d+)?")
"""Marks of tasks and times in a transcript, which basic-memory does not take as categories."""

RELATION = re.compile(
    r"(?:\"(?P<double>[^\"]+)\"|'(?P<single>[^']+)'|(?P<word>[^\s\[\]]+))[ \t]+"
    r"\[\[(?P<target>[^\[\]]+)\]\](?:[ \t]*\((?P<context>[^()]+)\))?"
)
WIKI_LINK = re.compile(r"\[\[([^\[\]]+)\]\]")
TAG = re.compile(r"(?<!\S)#([^\s#()]*[^\W\d][^\s#()]*)")
FILE_IMPORT = re.compile(r"(?<![\w`])@(?:~/|\.{0,2}/)?[\w./-]+\.\w+")
OUR_BLOCK = re.compile(
    r"<!--[ \t]*reasonloom:history:begin[ \t]*-->.*?<!--[ \t]*reasonloom:history:end[ \t]*-->",
    re.S | re.I,
)
"""What the hooks write into CLAUDE.md, from memories that are here already."""

CLAUDE_FILES = ("CLAUDE.md", "CLAUDE.local.md")
CLAUDE_RULES, CLAUDE_MEMORY = "/.claude/rules/", "MEMORY.md"
NOT_SEARCHED = frozenset({"node_modules", ".git", ".venv"})
DATES = ("created", "created_at", "date", "updated", "updated_at", "modified")
"""Names of the front matter for when a note was written, the first one given counts."""

STANDARD = frozenset({"title", "name", "tags", *DATES})
EMPTY = "has no text"


@dataclass(slots=True)
class Note:
    """A parsed file.

    Attributes:
        headings: the top-level ones: first line, line after, level, text.
        gone: the lines of observations and relations, which are no part of the note's text.
        written: when the file was last changed, in ISO 8601.
        links: names of other notes.
        file_imports: names of files that Claude Code would insert.
    """

    where: str
    front: Mapping[str, Any]
    lines: Sequence[str]
    written: str
    observations: list[re.Match[str]] = field(default_factory=list)
    relations: list[re.Match[str]] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    file_imports: list[str] = field(default_factory=list)
    headings: list[tuple[int, int, int, str]] = field(default_factory=list)
    gone: set[int] = field(default_factory=set)

    @property
    def title(self) -> str:
        """The title in the front matter, else the file's name."""
        return str(self.front.get("title") or self.front.get("name") or Path(self.where).stem)

    def sections(self) -> Iterator[tuple[str, str]]:
        """Yield the sections that have text: their headings, the outer ones first, and the text."""
        end_of_file = (len(self.lines), len(self.lines), 0, "")
        path: list[tuple[int, str]] = []
        starts = [(0, 0, 0, ""), *self.headings, end_of_file]
        for (_, begin, level, heading), (end, *_) in pairwise(starts):
            path = [each for each in path if each[0] < level]
            if heading and heading != self.title:
                path.append((level, heading))
            kept = [self.lines[number] for number in range(begin, end) if number not in self.gone]
            if text := "\n".join(kept).strip():
                yield " > ".join(name for _, name in path), text


def read_notes(location: str) -> Entries:
    """Yield the memories of a Markdown file or of all those in a folder, hidden ones left out.

    Raises:
        InvalidArgument: there is no Markdown file.
    """

    def visible(path: Path, root: Path) -> bool:
        return not any(part.startswith(".") for part in path.relative_to(root).parts)

    root, files = _files(location, visible)
    notes: list[Note] = []
    for path in files:
        where = path.relative_to(root).as_posix()
        try:
            front, body = split_front_matter(_read(path))
            if front.get("format") == FORMAT:
                yield memory_from_markdown(where, front, body)
            else:
                notes.append(_note(where, front, body, path, items=True))
        except BadRecordError as error:
            yield Skipped(where, str(error))
    keys = _names(notes)
    for note in notes:
        yield from _each(note, lambda note: _note_records(note, keys))


def read_claude_md(location: str) -> Entries:
    """Yield the sections of CLAUDE.md, of rules and of automatic memory, in a file or a folder.

    Raises:
        InvalidArgument: there is no such file.
    """

    def wanted(path: Path, root: Path) -> bool:
        if NOT_SEARCHED & set(path.relative_to(root).parts):
            return False
        rule = CLAUDE_RULES in path.absolute().as_posix()
        return path.name in CLAUDE_FILES or rule or path.with_name(CLAUDE_MEMORY).exists()

    root, files = _files(location, wanted)
    for path in files:
        where = path.relative_to(root).as_posix()
        try:
            front, body = split_front_matter(OUR_BLOCK.sub("", _read(path)))
            note = _note(where, front, body, path, items=False)
        except BadRecordError as error:
            yield Skipped(where, str(error))
            continue
        yield from _each(note, lambda note: _claude_records(note, root.resolve().name))
        for name in note.file_imports:
            yield Skipped(where, f"imports {name}, which is not read; import that file by itself")


def _each(note: Note, read: Callable[[Note], Iterable[Record]]) -> Entries:
    try:
        yield from list(read(note))
    except BadRecordError as error:
        yield Skipped(note.where, str(error))


def _files(location: str, wanted: Callable[[Path, Path], bool]) -> tuple[Path, list[Path]]:
    path = Path(location)
    with suppress(OSError):  # a name that no file can have
        if path.is_file():
            return path.parent, [path]
    files = sorted(
        (each for each in path.rglob("*.md") if wanted(each, path) and each.is_file()),
        key=lambda each: [
            (int(part) if part.isdecimal() else 0, part)
            for part in re.split(r"(\d+)", each.relative_to(path).as_posix())
        ],
    )
    if not path.exists():
        raise InvalidArgument(f"FOLDER: {path} does not exist", field="folder")
    if not files:
        raise InvalidArgument(
            "FOLDER: there is no Markdown file in it that would be read", field="folder"
        )
    return path, files


def _read(path: Path) -> str:
    try:
        return read_text(path)
    except InvalidArgument as error:
        raise BadRecordError(error.message) from None


def _note(where: str, front: Mapping[str, Any], body: str, path: Path, *, items: bool) -> Note:
    if not front and not body.strip():
        raise BadRecordError(EMPTY)
    written = datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat()
    note = Note(where, front, re.sub("\r\n?", "\n", body).split("\n"), written)
    inside: list[str] = []
    tokens = MarkdownIt().parse(body)
    for place, token in enumerate(tokens):
        if token.nesting:
            inside = [*inside, token.type] if token.nesting > 0 else inside[:-1]
        if token.type == "heading_open" and len(inside) == 1 and token.map:
            begin, end = token.map
            note.headings.append((begin, end, int(token.tag[1]), tokens[place + 1].content))
        if token.type == "inline" and "blockquote_open" not in inside:
            item = items and inside[-2:] == ["list_item_open", "paragraph_open"]
            if not (item and _take_item(note, token)):
                texts = (each.content for each in token.children or () if each.type == "text")
                text = "\n".join(texts)  # without code
                note.links += WIKI_LINK.findall(text)
                note.file_imports += FILE_IMPORT.findall(text)
    return note


def _take_item(note: Note, token: Token) -> bool:
    """Take a list item as a relation or an observation; return whether it is one."""
    text = token.content.strip()
    if relation := RELATION.fullmatch(text):
        note.relations.append(relation)
    else:
        item = OBSERVATION.fullmatch(text)
        category = item["category"] if item else None
        is_task = category is not None and NO_CATEGORY.fullmatch(category)
        if item is None or is_task or (category is None and not TAG.search(text)):
            return False
        note.observations.append(item)
        note.links += WIKI_LINK.findall(text)
    note.gone.update(range(*(token.map or (0, 0))))
    return True


def _names(notes: Iterable[Note]) -> dict[str, str]:
    """Return the keys of notes by each name that a wiki link may have: title, path, permalink."""
    names: dict[str, str] = {}
    for note in notes:
        path = note.where.removesuffix(".md")
        for name in (path, str(note.front.get("permalink") or path), note.title, Path(path).name):
            names.setdefault(name.lower(), note.where)
    return names


def _common(note: Note) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the fields and the details of all memories of a note."""
    front = note.front
    created = next((moment_in(front, name) for name in DATES if front.get(name)), note.written)
    rest = {name: value for name, value in front.items() if name not in STANDARD}
    fields = {"created_at": created, "valid_from": created, "tags": texts_in(front, "tags")}
    return fields, {"id": note.where, "title": note.title, "front_matter": rest}


def _note_records(note: Note, keys: Mapping[str, str]) -> Iterator[Record]:
    fields, details = _common(note)

    def key(name: str) -> str:
        target = re.split(r"[|#]", name)[0].strip().lower().removesuffix(".md")
        return keys.get(target, f"unknown {target}")

    sections = list(note.sections())
    wanted = [_relation_of(note, match, key) for match in note.relations]
    kinds = {key(name): "related_to" for name in note.links}
    kinds |= {each.links[1].target: kind_of(each.details["relation"]) for each in wanted}
    links = tuple(Link(target, kind) for target, kind in kinds.items() if target != note.where)
    text = "\n\n".join(f"{head}\n{text}" if head else text for head, text in sections)
    short = len(text) <= LONG_NOTE
    first = text if short else "\n\n".join(text for head, text in sections if not head)
    content = f"{note.title}\n\n{first}" if first else note.title
    yield Record(note.where, note.where, {**fields, "content": content}, details, links)
    part = (Link(note.where, "part_of"),)
    for head, text in () if short else sections:
        if head:
            more = {"content": f"{note.title} > {head}\n\n{text}", "context": note.title}
            place = f"{note.where}\n{head}\n{text}"
            yield Record(place, note.where, {**fields, **more}, details, part)
    for match in note.observations:
        yield _observation(note, match, fields, details)
    yield from wanted


def _observation(
    note: Note, match: re.Match[str], fields: Mapping[str, Any], details: Mapping[str, Any]
) -> Record:
    text = match["text"]
    more = {
        "content": f"{note.title}: {text}",
        "tags": [*fields["tags"], *TAG.findall(text)],
        "category": match["category"],
        "context": match["context"],
    }
    part = (Link(note.where, "part_of"),)
    return Record(f"{note.where}\n{match[0]}", note.where, {**fields, **more}, details, part)


def _relation_of(note: Note, match: re.Match[str], key: Callable[[str], str]) -> Record:
    name = match["double"] or match["single"] or match["word"]
    relation = {"relationType": name, "context": match["context"]}
    target = match["target"].split("|")[0].strip()
    return relation_record(note.where, key(target), note.where, note.title, relation, target)


def _claude_records(note: Note, project: str) -> Iterator[Record]:
    fields, details = _common(note)
    for head, text in note.sections():
        content = f"{head}\n\n{text}" if head else text
        more = {
            "content": content,
            "sector": "procedural",
            "context": f"{note.where} of {project}",
        }
        yield Record(
            f"{project}/{note.where}\n{head}\n{text}", note.where, {**fields, **more}, details
        )
