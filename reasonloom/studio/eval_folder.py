"""The folder of eval runs, which is the operator's: it holds no owner's rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasonloom.studio.auth.visitor import NotPermitted

if TYPE_CHECKING:
    from pathlib import Path

    from reasonloom.studio.page_context import Desk


async def eval_folder(desk: Desk) -> Path:
    """Return the folder.

    Raises:
        NotPermitted: the visitor is not the owner that the settings name.
    """
    caller = await desk.caller()
    if caller.owner != desk.settings.user:
        raise NotPermitted("eval runs are shown to this machine's own user alone", field="token")
    return desk.settings.home / "evals"
