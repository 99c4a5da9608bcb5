"""A prompt template: front matter, and a Jinja block for each message."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from operator import is_not
from typing import TYPE_CHECKING, Any

import frontmatter
from jinja2 import Template, TemplateSyntaxError, UndefinedError
from jinja2.exceptions import SecurityError
from pydantic import ValidationError

from reasonloom.errors import PromptMistake
from reasonloom.prompts.bounds import BoundedEnvironment, WorkExceeded, bounded_work
from reasonloom.prompts.validation import (
    FrontMatter,
    check_output,
    check_succession,
    check_variables,
    complete_schema,
)

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

SYSTEM, USER = "system", "user"
HASH_LENGTH = 16
MOST_PARTS = 10_000
"""Maximum values in the front matter of a template."""

CLOSING_TAG = re.compile(r"</(\w+)>")
TAG = re.compile(r"</?(\w+)")
HARMLESS = "\u2039"
"""Replacement for the `<` of a section tag in a variable: a single angle quotation mark."""

ENVIRONMENT = BoundedEnvironment()


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """A rendered prompt, with the identity that is recorded with its run.

    Attributes:
        system, user: the texts of the two messages.
        schema: JSON Schema of the reply, or None.
        variables: the variables that the prompt was rendered with.
        hash: first 16 hexadecimal digits of the SHA-256 of the file's text.
    """

    name: str
    version: int
    hash: str
    system: str
    user: str
    schema: dict[str, Any] | None
    variables: Mapping[str, object]

    def messages(self) -> list[BaseMessage]:
        """Return the prompt as messages, the system message first."""
        from langchain_core.messages import HumanMessage, SystemMessage  # noqa: PLC0415

        return [SystemMessage(self.system), HumanMessage(self.user)]


def _check_extent(metadata: object) -> None:
    """Reject front matter that YAML aliases make huge or circular."""
    left, parts = MOST_PARTS, [metadata]
    while parts:
        part = parts.pop()
        left -= 1
        if left < 0:
            raise ValueError
        if isinstance(part, dict | list):
            parts += part.values() if isinstance(part, dict) else part


@dataclass(frozen=True)
class PromptTemplate:
    """One version of a template, parsed from the text of its file.

    Attributes:
        text: the file's text.
        source: the file's path, relative to the template folder.
        packaged: the front matter of the packaged template that this one replaces, if any: its
            variables are accepted, and the bounds of its output apply.
        later: variables of later versions, which are accepted too.
    """

    text: str
    source: str
    packaged: FrontMatter | None = None
    later: frozenset[str] = frozenset()

    @cached_property
    def hash(self) -> str:
        """The template's identity, a hash of the file's text."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:HASH_LENGTH]

    @cached_property
    def _parts(self) -> tuple[FrontMatter, str]:
        try:
            document = frontmatter.loads(self.text)
            _check_extent(document.metadata)
            return FrontMatter.model_validate(document.metadata), str(document.content)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"]))
            raise PromptMistake(f"{self.source}: {place}: {first['msg']}", field=place) from None
        except Exception:  # noqa: BLE001  # YAML, and errors of its dates and numbers
            raise PromptMistake(f"{self.source}: its front matter is no YAML") from None

    @property
    def about(self) -> FrontMatter:
        """The template's front matter.

        Raises:
            PromptMistake: the front matter is missing or malformed.
        """
        return self._parts[0]

    @property
    def body(self) -> str:
        """The template's text after its front matter."""
        return self._parts[1]

    @cached_property
    def _compiled(self) -> Template:
        try:
            tree = ENVIRONMENT.parse(self._parts[1])
            bounded = ENVIRONMENT.bounded(ENVIRONMENT.parse(self._parts[1]))
            template = ENVIRONMENT.from_string(bounded)
        except TemplateSyntaxError as error:
            line = self._line(error.lineno)
            raise PromptMistake(f"{self.source}: line {line}: {error.message}") from None
        except Exception as error:  # noqa: BLE001  # such as 20 nested loops, a SyntaxError
            kind = type(error).__name__
            raise PromptMistake(f"{self.source}: cannot be compiled ({kind})") from None
        missing = {SYSTEM, USER} - set(template.blocks)
        if missing:
            raise PromptMistake(f"{self.source}: lacks the block {' and '.join(sorted(missing))}")
        check_variables(ENVIRONMENT, tree, set(self.about.variables), self.source)
        return template

    def _line(self, line: int) -> int:
        """Convert a line number of the body to one of the file."""
        before, _, _ = self.text.partition(self._parts[1])
        return line + before.count("\n")

    def check(self) -> None:
        """Run all checks that need no rendering.

        Raises:
            PromptMistake: the front matter, the text or the output schema is malformed, or the
                template cannot replace the packaged one.
        """
        if self.about.output is not None:
            check_output(self.about.output, self.source)
        if self.packaged is not None:
            check_succession(self.about, self.packaged, self.source)
        _ = self._compiled

    @property
    def schema(self) -> dict[str, Any] | None:
        """The JSON Schema of the reply, with the packaged bounds as defaults."""
        output = self.about.output
        inherited = self.packaged.output if self.packaged else None
        return complete_schema(output, inherited) if output and inherited else output

    def render(self, **variables: object) -> RenderedPrompt:
        """Render the prompt with its variables.

        Raises:
            PromptMistake: a variable is missing or unknown, or rendering fails; names the
                template.
        """
        self._check_names(variables)
        variables = {name: variables[name] for name in self.about.variables}
        return RenderedPrompt(
            name=self.about.name,
            version=self.about.version,
            hash=self.hash,
            system=self._block(SYSTEM, variables),
            user=self._block(USER, variables),
            schema=self.schema,
            variables=variables,
        )

    def _check_names(self, variables: Mapping[str, object]) -> None:
        declared = set(self.about.variables)
        known = declared | self.later | set(self.packaged.variables if self.packaged else ())
        for kind, names in (
            ("lacks", declared - set(variables)),
            ("does not know", set(variables) - known),
        ):
            if names:
                name = min(names)
                raise PromptMistake(f"{self.source} {kind} the variable {name}", field=name)

    @cached_property
    def _fences(self) -> frozenset[str]:
        """The names of this template's section tags."""
        return frozenset(CLOSING_TAG.findall(self.body))

    def _harmless(self, tag: re.Match[str]) -> str:
        return tag[0].replace("<", HARMLESS) if tag[1] in self._fences else tag[0]

    def _fenced(self, value: Any) -> Any:
        """Escape section tags in a variable's texts, so that they cannot end their section."""
        if isinstance(value, str):
            return TAG.sub(self._harmless, value)
        if isinstance(value, Mapping):
            parts = {key: self._fenced(each) for key, each in value.items()}
            return parts if any(parts[key] is not value[key] for key in parts) else value
        if isinstance(value, list | tuple):
            items = [*map(self._fenced, value)]
            return items if any(map(is_not, items, value)) else value
        return value

    def _block(self, name: str, variables: Mapping[str, object]) -> str:
        template = self._compiled
        try:
            with bounded_work():
                given = {each: self._fenced(value) for each, value in variables.items()}
                parts = template.blocks[name](template.new_context(given))
                return "".join(parts).strip()
        except UndefinedError as error:
            raise PromptMistake(f"{self.source}: {error.message}") from None
        except WorkExceeded as error:
            raise PromptMistake(f"{self.source}: the block {name} {error.message}") from None
        except SecurityError:
            raise PromptMistake(f"{self.source}: reaches for what a template may not") from None
        except Exception as error:  # noqa: BLE001  # a template can raise anything Python can
            # The error's message may quote variables.
            raise PromptMistake(
                f"{self.source}: the block {name} cannot be rendered ({type(error).__name__})"
            ) from None
