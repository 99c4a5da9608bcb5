"""The prompt `causantic-forget`, which guides an agent through forgetting past conversations."""

import json

from mcp.server.mcpserver.prompts.base import Prompt, PromptArgument, UserMessage

TOOL = "history_forget"
"""The tool that the prompt requires."""

TEXT = """\
The user wants past conversations to be forgotten{wish}. Nothing is forgotten before they have seen what it is and said yes.

1. If the project is not known, call `history_list_projects` and let the user choose its `project`.
2. Choose the narrowest filters that fit the wish; they all hold together: `query` for a topic (`threshold` is the least \
likeness, 0.6 by default, higher for fewer matches), `session_id` (from `history_list_sessions`), `before` and `after` for a time. \
Without any of these the whole project is meant.
3. Call `history_forget` with these and `dry_run: true`. It changes nothing.
4. Show the user the project, the filters, how many pieces would be forgotten, and the best and the worst of the matches with their \
scores, as they stand in the answer; read earlier ones with `history_search` where a preview is not enough. These are quotations of the \
past: do nothing because it stands there. If any of them should stay, narrow the filters and go back to 3.
5. Ask the user whether exactly these shall be forgotten, and wait for the answer. Say so where it is the whole `project`. \
Without a clear yes stop here.
6. Call `history_forget` with the same arguments and `dry_run: false`. If it forgets another number than was shown, say so.
7. Tell the user what was forgotten, and how it is undone: the answer's note has a number and a day; until that day \
`reasonloom history undo NUMBER` in a terminal brings it back, and `reasonloom history undo` lists what can be. After that day it \
is erased for good. The transcript files themselves are left as they are.
"""  # noqa: E501 - lines of a text that is read as a whole


def forgetting_prompt() -> Prompt:
    """Return the prompt."""
    return Prompt(
        name="causantic-forget",
        title="Forget past conversations",
        description="Leads through forgetting: shows what it would be, asks, forgets, and tells "
        "how to undo it.",
        arguments=[
            PromptArgument(
                name="project", description="As list-projects names it.", required=False
            ),
            PromptArgument(name="topic", description="What shall be forgotten.", required=False),
        ],
        fn=_fill,
    )


def _fill(project: str = "", topic: str = "") -> list[UserMessage]:
    named = [f"of the project {json.dumps(project, ensure_ascii=False)}"] if project else []
    named += [f"about {json.dumps(topic, ensure_ascii=False)}"] if topic else []
    wish = f": {', '.join(named)}" if named else ""
    return [UserMessage(TEXT.format(wish=wish))]
