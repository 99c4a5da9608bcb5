"""Implements `space_list`, `space_grant` and `space_revoke`."""

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.memory.sharing import (
    ListedGrant,
    ListedSpace,
    SpaceGrant,
    SpaceGranted,
    SpaceRevoke,
    SpaceRevoked,
    SpacesListed,
)
from reasonloom.contracts.places import parse_place
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.sharing.administration import SpaceAccess, administering, list_spaces
from reasonloom.nodes.state import ToolState


async def space_list(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the spaces that the caller may use."""
    execution = runtime.context
    found = await list_spaces(execution.loom, execution.caller)
    return {"answer": SpacesListed(spaces=[_listed(each) for each in found]).wire(), "notes": []}


def _listed(space: SpaceAccess) -> ListedSpace:
    values: dict[str, Any] = {"space": space.name, "rights": space.rights}
    if space.grants is not None:
        values["grants"] = [
            ListedGrant.model_validate(
                {
                    "to": each.grantee,
                    "rights": each.rights,
                    "grantedBy": each.granted_by,
                    "grantedAt": each.granted_at.isoformat(),
                }
            )
            for each in space.grants
        ]
    return ListedSpace(**values)


async def space_grant(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Grant rights on a space that the caller administers."""
    execution = runtime.context
    request = execution.request(SpaceGrant)
    place, tool = parse_place(request.place, "space"), execution.run.tool
    async with administering(execution.loom, execution.caller, place, tool) as opened:
        to = await opened.grant(request.to, request.rights)
        answer = SpaceGranted(space=place.name(), to=to, rights=request.rights)
        return await complete_run(opened.tx, execution, answer, notes=[])


async def space_revoke(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Revoke all rights that somebody has on a space that the caller administers."""
    execution = runtime.context
    request = execution.request(SpaceRevoke)
    place, tool = parse_place(request.place, "space"), execution.run.tool
    async with administering(execution.loom, execution.caller, place, tool) as opened:
        whom = await opened.revoke(request.from_)
        answer = SpaceRevoked.model_validate({"space": place.name(), "from": whom})
        return await complete_run(opened.tx, execution, answer, notes=[])
