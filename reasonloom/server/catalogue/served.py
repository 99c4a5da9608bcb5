"""What a server offers: its tools, each with its form, its resources and its advice."""

from __future__ import annotations

from dataclasses import dataclass

from reasonloom.server.auth.scopes import scope_of
from reasonloom.server.envelopes.envelope import Form
from reasonloom.server.resources.kind import Kind
from reasonloom.server.toolsets.toolset import Effect, ToolLine


@dataclass(frozen=True, slots=True)
class Served:
    """One tool that is served, with its reference's form; `name` is what clients call it."""

    name: str
    line: ToolLine
    form: Form
    toolset: str

    @property
    def needed(self) -> str:
        """The narrowest scope of a token that allows it."""
        return scope_of(self.toolset, reads=self.line.effect is Effect.READS)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What one server offers, in the order it lists it, its name, and what it advises."""

    name: str
    version: str | None
    tools: tuple[Served, ...]
    resources: tuple[Kind, ...] = ()
    advice: tuple[str, ...] = ()
    conformance: bool = False

    @property
    def is_reference(self) -> bool:
        """Whether it stands for one reference, whose version it tells then."""
        return self.version is not None

    @property
    def offered(self) -> frozenset[str]:
        """The tools by the names that our graphs know them by."""
        return frozenset(served.line.name for served in self.tools)
