"""One prompt template: front matter that declares it, Jinja blocks that are its messages."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import frontmatter
from jinja2 import StrictUndefined, Template, TemplateSyntaxError, UndefinedError
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from yaml import YAMLError

from reasonloom.errors import PromptMistake

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

SYSTEM, USER = "system", "user"
HASH_LENGTH = 16

ENVIRONMENT = ImmutableSandboxedEnvironment(
    undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
)


class FrontMatter(BaseModel):
    """What a template says of itself before its text."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1)
    version: int = Field(ge=1)
    variables: list[str] = Field(default_factory=list)
    output: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """A prompt ready to be asked, and the identity that its run records.

    Attributes:
        system, user: the two messages' texts.
        schema: JSON Schema of the answer, or None.
        variables: what the prompt was rendered with.
        hash: first 16 hexadecimal digits of the file's SHA-256.
    """

    name: str
    version: int
    hash: str
    system: str
    user: str
    schema: dict[str, Any] | None
    variables: Mapping[str, object]

    def messages(self) -> list[BaseMessage]:
        """Return the prompt as messages, the system's first."""
        from langchain_core.messages import HumanMessage, SystemMessage  # noqa: PLC0415

        return [SystemMessage(self.system), HumanMessage(self.user)]


@dataclass(frozen=True)
class PromptTemplate:
    """A template of one name in one version, read from the text of its file."""

    text: str
    source: str

    @cached_property
    def hash(self) -> str:
        """The template's identity: it changes when a letter of the file does."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:HASH_LENGTH]

    @cached_property
    def _parts(self) -> tuple[FrontMatter, str]:
        try:
            document = frontmatter.loads(self.text)
            return FrontMatter.model_validate(document.metadata), str(document.content)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"]))
            raise PromptMistake(f"{self.source}: {place}: {first['msg']}", field=place) from None
        except YAMLError:
            raise PromptMistake(f"{self.source}: its front matter is no YAML") from None

    @property
    def about(self) -> FrontMatter:
        """What the template declares.

        Raises:
            PromptMistake: the front matter is missing or ill-formed.
        """
        return self._parts[0]

    @cached_property
    def _compiled(self) -> Template:
        try:
            template = ENVIRONMENT.from_string(self._parts[1])
        except TemplateSyntaxError as error:
            raise PromptMistake(f"{self.source}: line {error.lineno}: {error.message}") from None
        missing = {SYSTEM, USER} - set(template.blocks)
        if missing:
            raise PromptMistake(f"{self.source}: lacks the block {' and '.join(sorted(missing))}")
        return template

    def render(self, **variables: object) -> RenderedPrompt:
        """Return the prompt with its variables filled in.

        Raises:
            PromptMistake: a variable is missing or unknown; names it and the template.
        """
        self._check(variables)
        return RenderedPrompt(
            name=self.about.name,
            version=self.about.version,
            hash=self.hash,
            system=self._block(SYSTEM, variables),
            user=self._block(USER, variables),
            schema=self.about.output,
            variables=variables,
        )

    def _check(self, variables: Mapping[str, object]) -> None:
        declared = set(self.about.variables)
        for kind, names in (
            ("lacks", declared - set(variables)),
            ("does not know", set(variables) - declared),
        ):
            if names:
                name = min(names)
                raise PromptMistake(f"{self.source} {kind} the variable {name}", field=name)

    def _block(self, name: str, variables: Mapping[str, object]) -> str:
        template = self._compiled
        try:
            parts = template.blocks[name](template.new_context(dict(variables)))
            return "".join(parts).strip()
        except UndefinedError as error:
            raise PromptMistake(f"{self.source}: {error.message}") from None
        except SecurityError:
            raise PromptMistake(f"{self.source}: reaches for what a template may not") from None
