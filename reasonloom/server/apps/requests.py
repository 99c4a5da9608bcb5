"""What pages in hosts ask for, to draw more than an answer holds; no tools for agents."""

from reasonloom.contracts.base import Name, Request
from reasonloom.contracts.space import SpacedRequest


class ViewSession(SpacedRequest):
    """Read the newest steps of a session with their branches, to be drawn."""

    session_id: Name


class ViewThought(SpacedRequest):
    """Read a thought with the prompts, replies and memories of its run."""

    thought_id: Name


class ViewGraph(Request):
    """Read the nodes and edges of a Graph of Thoughts, to be drawn."""

    graph_id: Name


class ViewStreams(Request):
    """Read what each stream of a run of ponder or think said in each quarter or round."""

    run_id: Name
