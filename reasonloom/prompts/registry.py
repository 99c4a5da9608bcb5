"""Finds templates by name and version: the user's folder lies over the packaged one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from reasonloom.errors import PromptMistake, SettingMistake, UnknownName
from reasonloom.prompts.template import PromptTemplate

PACKAGED = Path(__file__).parent / "templates"
FILE_NAME = re.compile(r"(?P<step>[a-z0-9_]+)\.v(?P<version>[1-9][0-9]*)\.md\Z")


@dataclass
class PromptRegistry:
    """The templates a process may use; a file `linear/continue.v2.md` is version 2 of
    `linear/continue`. The newest version is used unless one is named."""

    folder: Path | None = None
    _known: dict[str, dict[int, PromptTemplate]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if self.folder is not None and not self.folder.is_dir():
            raise SettingMistake(
                "REASONLOOM_PROMPTS: must be a folder of templates such as linear/continue.v2.md",
                field="REASONLOOM_PROMPTS",
            )
        for root in filter(None, (PACKAGED, self.folder)):
            for name, version, template in _read(root):
                self._known.setdefault(name, {})[version] = template

    def names(self) -> list[str]:
        """Return the names of all prompts."""
        return sorted(self._known)

    def versions(self, name: str) -> list[int]:
        """Return the versions of a prompt, oldest first."""
        return sorted(self._known.get(name, {}))

    def get(self, name: str, version: int | None = None) -> PromptTemplate:
        """Return a template, the newest where no version is named.

        Raises:
            UnknownName: there is no such prompt or version; names the nearest.
        """
        versions = self._known.get(name)
        if not versions:
            near = get_close_matches(name, self._known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(self.names())}"
            raise UnknownName(f"no prompt {name}; {hint}", field=name)
        wanted = max(versions) if version is None else version
        if wanted not in versions:
            known = ", ".join(map(str, sorted(versions)))
            raise UnknownName(f"prompt {name} has no version {wanted}; it has {known}", field=name)
        return versions[wanted]


def _read(root: Path) -> Iterator[tuple[str, int, PromptTemplate]]:
    """Yield name, version and template of every file below `root`, each checked.

    Raises:
        PromptMistake: a file's name is not its front matter's name and version.
    """
    for path in sorted(root.rglob("*.md")):
        place = path.relative_to(root).as_posix()
        match = FILE_NAME.match(path.name)
        if not match:
            raise PromptMistake(f"{place}: a template's file is named STEP.vNUMBER.md")
        name = (path.relative_to(root).parent / match["step"]).as_posix()
        template = PromptTemplate(path.read_text(encoding="utf-8"), place)
        said = (template.about.name, template.about.version)
        if said != (name, int(match["version"])):
            raise PromptMistake(
                f"{place}: its front matter says {said[0]} version {said[1]}", field=place
            )
        yield name, said[1], template
