"""The graphs of the memory tools: one node each, except for consolidation."""

from reasonloom.graphs.graph import Graph, by_name, one_node, wiring
from reasonloom.nodes.memory.batch import batch_forget, batch_recall, batch_remember
from reasonloom.nodes.memory.forget import forget, restore_memory
from reasonloom.nodes.memory.maintenance.consolidation import (
    ConsolidateState,
    find_groups,
    is_more_to_do,
    report_groups,
    summarise_group,
)
from reasonloom.nodes.memory.maintenance.health import memory_health, prune_memories
from reasonloom.nodes.memory.portable.export import export_memories
from reasonloom.nodes.memory.portable.promotion import memory_promote
from reasonloom.nodes.memory.recall import recall
from reasonloom.nodes.memory.remember import remember
from reasonloom.nodes.memory.search import search
from reasonloom.nodes.memory.update import update_memory
from reasonloom.nodes.sharing.tools import space_grant, space_list, space_revoke

STORE = ("memoryRepository",)
INDEXED = (*STORE, "embeddingEngine", "graphBuilder")
NEXT_GROUP = (is_more_to_do, {True: "summarise_group", False: "report_groups"})

GRAPHS = by_name(
    one_node("remember", remember, writes=True, components=INDEXED),
    one_node("recall", recall, components=(*STORE, "embeddingEngine", "searchEngine")),
    one_node("search", search, components=(*STORE, "searchEngine")),
    one_node("update_memory", update_memory, writes=True, components=INDEXED),
    one_node("forget", forget, writes=True, components=STORE),
    one_node("batch_remember", batch_remember, writes=True, components=INDEXED),
    one_node("batch_recall", batch_recall, components=STORE),
    one_node("batch_forget", batch_forget, writes=True, components=STORE),
    one_node("export_memories", export_memories, components=STORE),
    one_node("memory_health", memory_health, components=STORE),
    one_node("prune_memories", prune_memories, writes=True, components=STORE),
    one_node("memory_promote", memory_promote, writes=True, components=INDEXED),
    one_node("space_list", space_list, components=STORE),
    one_node("space_grant", space_grant, writes=True, components=STORE),
    one_node("space_revoke", space_revoke, writes=True, components=STORE),
    one_node("restore_memory", restore_memory, writes=True, components=STORE),
    Graph(
        "consolidate_memories",
        1,
        wiring(
            ConsolidateState,
            {
                "find_groups": find_groups,
                "summarise_group": summarise_group,
                "report_groups": report_groups,
            },
            routes={"find_groups": NEXT_GROUP, "summarise_group": NEXT_GROUP},
        ),
        saved=True,
        writes=True,
        components=INDEXED,
        more_steps=lambda request: None,
    ),
)
