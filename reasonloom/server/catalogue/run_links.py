"""Links from an answer to its run and session, for clients whose revision has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp_types import Annotations, CallToolResult, ResourceLink

from reasonloom.server.auth.principal import scopes_of
from reasonloom.server.auth.scopes import readable
from reasonloom.server.catalogue.served import Catalogue, ServedTool
from reasonloom.server.resources.kind import MIME_TYPE, Kind
from reasonloom.server.toolsets.toolset import Effect

FIRST_REVISION = "2025-06-18"
"""The first revision of the protocol with links in answers."""

RUN, SESSION = "run", "session"
SESSION_KEYS = ("session_id", "sessionId")
FOR_USERS = Annotations(audience=["user"])
"""Hosts need not put a link into the model's context: the ids are in the answer already."""


@dataclass(frozen=True, slots=True)
class AnswerLinks:
    """Adds links to answers; `kinds` are the linked kinds of resources that a server has."""

    kinds: tuple[Kind, ...]

    @classmethod
    def of(cls, catalogue: Catalogue) -> AnswerLinks:
        """Return the links of a catalogue; a reference's has no resources, and so no links."""
        known = {each.name: each for each in catalogue.resources}
        return cls(tuple(known[name] for name in (RUN, SESSION) if name in known))

    def add(
        self,
        result: CallToolResult,
        served: ServedTool,
        context: ServerRequestContext[Any, Any],
        run_id: object,
        answer: Mapping[str, Any],
    ) -> CallToolResult:
        """Return an answer with links, if its tool stores what a language model concludes.

        `answer` is the whole answer of the run, which lies in the owner's default space.
        """
        stores = served.line.open_world and served.line.effect is not Effect.READS
        if not stores or result.is_error or context.protocol_version < FIRST_REVISION:
            return result
        scopes = scopes_of(context)
        links = [*self._links(scopes, str(run_id), answer)]
        return result.model_copy(update={"content": [*result.content, *links]})

    def _links(
        self, scopes: Sequence[str] | None, run_id: str, answer: Mapping[str, Any]
    ) -> Iterator[ResourceLink]:
        # A number is a session of the graph of memories, which has no page.
        sessions = (answer[key] for key in SESSION_KEYS if isinstance(answer.get(key), str))
        ids = {RUN: run_id, SESSION: next(sessions, None)}
        for kind in self.kinds:
            if (identifier := ids[kind.name]) and readable(scopes, kind):
                yield ResourceLink(
                    name=kind.name,
                    title=kind.title,
                    uri=kind.uri(identifier),
                    mime_type=MIME_TYPE,
                    annotations=FOR_USERS,
                )
