"""Reads the JSONL graph of MCP's reference server `memory`.

A line is {"type": "entity", "name", "entityType", "observations": [...]} or {"type": "relation",
"from", "to", "relationType"}. An entity becomes a memory, each of its observations another that is
part of it, and a relation a sentence that is linked to both of its entities, which are linked too.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from reasonloom.errors import InvalidArgument
from reasonloom.importers.records import (
    BadRecordError,
    Entries,
    Link,
    Record,
    json_lines,
    kind_of,
    read_each,
    read_text,
    relation_record,
    text_in,
)

EXPECTED = (
    "FILE: is not a graph of MCP's memory server; expected lines such as "
    '{"type": "entity", "name": "Anna", "entityType": "person", "observations": ["likes tea"]}'
)


def read(location: str) -> Entries:
    """Yield the graph's memories, each relation's link from the entity where it starts.

    Raises:
        InvalidArgument: the file cannot be read, or no line of it is part of a graph.
    """
    items = json_lines(read_text(Path(location)))
    objects = [item for _, item in items if isinstance(item, Mapping)]
    if not any(item.get("type") in ("entity", "relation") for item in objects):
        raise InvalidArgument(EXPECTED, field="file")
    names = {str(item.get("name")) for item in objects if item.get("type") == "entity"}
    related = _links(item for item in objects if item.get("type") == "relation")
    yield from read_each(items, lambda where, item: _records(where, item, names, related))


def _links(relations: Iterable[Mapping[str, Any]]) -> dict[str, list[Link]]:
    links: dict[str, list[Link]] = {}
    for each in relations:
        link = Link(_key(each.get("to")), kind_of(str(each.get("relationType"))))
        links.setdefault(str(each.get("from")), []).append(link)
    return links


def _key(name: object) -> str:
    return f"entity {name}"


def _records(
    where: str, item: Any, names: set[str], related: Mapping[str, list[Link]]
) -> list[Record]:
    kind = item.get("type") if isinstance(item, Mapping) else None
    if kind == "entity":
        return _entity(where, item, related)
    if kind == "relation":
        return [_relation(where, item, names)]
    raise BadRecordError('must be an object whose type is "entity" or "relation"')


def _entity(where: str, item: Mapping[str, Any], related: Mapping[str, list[Link]]) -> list[Record]:
    name, kind = text_in(item, "name", "Anna"), text_in(item, "entityType", "person")
    observations = item.get("observations")
    if not isinstance(observations, list):
        raise BadRecordError('observations: must be a list of texts, such as ["likes tea"]')
    links = tuple(link for link in related.get(name, ()) if link.target != _key(name))
    details = {"entity": name, "entityType": kind}
    entity = Record(
        _key(name), where, {"content": f"{name} ({kind})", "tags": [kind]}, details, links
    )
    parts = (Link(_key(name), "part_of"),)
    return [
        entity,
        *(
            Record(
                f"observation {name}\n{text_in({'observations': text}, 'observations')}",
                where,
                {"content": f"{name}: {text}", "tags": [kind]},
                details,
                parts,
            )
            for text in dict.fromkeys(observations)
        ),
    ]


def _relation(where: str, item: Mapping[str, Any], names: set[str]) -> Record:
    source, target = text_in(item, "from", "Anna"), text_in(item, "to", "Acme")
    for field, name in (("from", source), ("to", target)):
        if name not in names:
            raise BadRecordError(f"{field}: must name an entity of the file; there is no {name}")
    return relation_record(_key(source), _key(target), where, source, item, target)
