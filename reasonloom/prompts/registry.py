"""Looks up templates by name and version; the user's folder overrides the packaged ones."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType

from jinja2 import meta

from reasonloom.errors import PromptMistake, SettingMistake, UnknownName
from reasonloom.prompts.template import ENVIRONMENT, PromptTemplate
from reasonloom.prompts.validation import FrontMatter

PACKAGED = Path(__file__).parent / "templates"
PARTS = Path(__file__).parent / "parts"
PART = re.compile(r"""^\{% include "([^"\n]*)" %\}\n""", re.MULTILINE)
"""A line of a template that is replaced by a packaged part, so that wordings are shared."""

FILE_NAME = re.compile(r"(?P<step>[a-z0-9_]+)\.v(?P<version>[1-9][0-9]*)\.md\Z")
LONGEST_FILE = 1_000_000
"""Maximum bytes of a template file."""

_NONE: Mapping[str, FrontMatter] = MappingProxyType({})


@dataclass
class PromptRegistry:
    """The templates of a process, by name and version.

    The file `linear/continue.v2.md` is version 2 of `linear/continue`. The newest version is the
    default unless another one is pinned.
    """

    folder: Path | None = None
    _known: dict[str, dict[int, PromptTemplate]] = field(default_factory=dict, repr=False)
    _pinned: Mapping[str, int] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if self.folder is not None and not os.path.isdir(self.folder):  # noqa: PTH112  # never raises
            raise SettingMistake(
                "REASONLOOM_PROMPTS: must be a folder of templates such as linear/continue.v2.md",
                field="REASONLOOM_PROMPTS",
            )
        for name, version, template in packaged_templates():
            self._known.setdefault(name, {})[version] = template
        if self.folder is not None:
            packaged = {name: self.get(name).about for name in self._known}
            for name, version, template in templates(self.folder, packaged):
                self._known.setdefault(name, {})[version] = template

    def names(self) -> list[str]:
        """Return the names of all prompts."""
        return sorted(self._known)

    def versions(self, name: str) -> list[int]:
        """Return the versions of a prompt, oldest first."""
        return sorted(self._known.get(name, {}))

    def is_packaged(self, name: str) -> bool:
        """Return whether any version of this prompt is packaged."""
        return any(name == known for known, _, _ in packaged_templates())

    def get(self, name: str, version: int | None = None) -> PromptTemplate:
        """Return a template, by default its pinned or else its newest version.

        Raises:
            UnknownName: there is no such prompt or version; names existing ones.
        """
        versions = self._known.get(name)
        if not versions:
            near = get_close_matches(name, self._known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(self.names())}"
            raise UnknownName(f"no prompt {name}; {hint}", field=name)
        wanted = self._pinned.get(name, max(versions)) if version is None else version
        if wanted not in versions:
            known = ", ".join(map(str, sorted(versions)))
            raise UnknownName(f"prompt {name} has no version {wanted}; it has {known}", field=name)
        return versions[wanted]

    def pinning(self, versions: Mapping[str, int]) -> PromptRegistry:
        """Return a copy of the registry with these versions as defaults.

        Raises:
            UnknownName: there is no such prompt or version.
        """
        for name, version in versions.items():
            self.get(name, version)
        pinned = copy(self)
        pinned._pinned = {**self._pinned, **versions}
        return pinned


@cache
def packaged_templates() -> tuple[tuple[str, int, PromptTemplate], ...]:
    """Return the packaged templates, which never change within a process.

    Earlier versions accept the variables of the newest one, so that they can replace it. Each is
    compiled on first use: tests check them all, and a process uses few.
    """
    found = sorted(templates(PACKAGED, check=False), key=lambda each: each[:2])
    newest = {name: (version, template.about.variables) for name, version, template in found}
    return tuple(
        (
            name,
            version,
            template
            if version == newest[name][0]
            else replace(template, later=frozenset(newest[name][1])),
        )
        for name, version, template in found
    )


def template_files(root: Path) -> list[Path]:
    """Return the template files below `root`, sorted."""
    return sorted(root.rglob("*.md"))


def templates(
    root: Path,
    packaged: Mapping[str, FrontMatter] = _NONE,
    files: Sequence[Path] | None = None,
    *,
    check: bool = True,
) -> Iterator[tuple[str, int, PromptTemplate]]:
    """Yield the name, version and template of every file below `root`.

    `packaged` contains the front matter of the templates that those of `root` replace; `files`
    selects the files to read instead of all. With `check` each template is compiled.

    Raises:
        PromptMistake: a file cannot be read or is malformed, or its path does not match the name
            and version in its front matter.
    """
    for path in template_files(root) if files is None else files:
        place = path.relative_to(root).as_posix().encode("utf-8", "replace").decode()
        match = FILE_NAME.match(path.name)
        if not match:
            raise PromptMistake(f"{place}: a template's file is named STEP.vNUMBER.md", field=place)
        name = (path.relative_to(root).parent / match["step"]).as_posix()
        text = PART.sub(partial(_part, place), _text(path, root, place))
        template = PromptTemplate(text, place, packaged.get(name))
        declared = (template.about.name, template.about.version)
        if declared != (name, int(match["version"])):
            raise PromptMistake(
                f"{place}: its front matter says {declared[0]} version {declared[1]}", field=place
            )
        if check:
            template.check()
        yield name, declared[1], template


@cache
def _parts() -> dict[str, str]:
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(PARTS.glob("*.md"))}


def _part(place: str, include: re.Match[str]) -> str:
    """Return the packaged part that a line of a template includes."""
    parts = _parts()
    if include[1] not in parts:
        known = ", ".join(parts)
        raise PromptMistake(f"{place}: there is no part {include[1]} to include; known: {known}")
    return parts[include[1]]


def _text(path: Path, root: Path, place: str) -> str:
    why, found = "", b""
    try:
        if not path.resolve().is_relative_to(root.resolve()):
            why = "is a link out of its folder; put a copy of the file there"
        elif not path.is_file():  # opening a named pipe would block
            why = "cannot be read"
        else:
            with path.open("rb") as file:
                found = file.read(LONGEST_FILE + 1)
        if len(found) > LONGEST_FILE:
            why = f"must have up to {LONGEST_FILE:,} bytes"
        text = found.decode().replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        raise PromptMistake(f"{place}: is not UTF-8", field=place) from None
    except (OSError, RuntimeError):  # RuntimeError: circular links
        raise PromptMistake(f"{place}: cannot be read", field=place) from None
    if why:
        raise PromptMistake(f"{place}: {why}", field=place)
    return text


def lint(root: Path) -> list[tuple[str, str]]:
    """Return the faults of the templates below `root` as (file, fault), unused variables included.

    Raises:
        PromptMistake: the folder does not exist or contains no template.
    """
    files = list(template_files(root)) if root.is_dir() else []
    if not files:
        raise PromptMistake("the folder has no prompts, such as linear/continue.v2.md")
    packaged = {name: template.about for name, _, template in packaged_templates()}
    found: list[tuple[str, str]] = []
    for path in files:
        try:
            _, _, template = next(templates(root, packaged, [path]))
        except PromptMistake as mistake:
            place = path.relative_to(root).as_posix()
            found.append((place, mistake.message.removeprefix(f"{place}: ")))
        else:
            found += [(template.source, what) for what in _unused_variables(template)]
    return found


def _unused_variables(template: PromptTemplate) -> list[str]:
    """Return a fault for each variable that is declared but not used."""
    used = meta.find_undeclared_variables(ENVIRONMENT.parse(template.body))
    unused = [name for name in template.about.variables if name not in used]
    return [f"declares the variable {name} and never uses it" for name in unused]
