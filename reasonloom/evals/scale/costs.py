"""What a call and a memory cost; the simulation multiplies these.

Bytes, round trips and times of our process are measured (docs/scaling.md, docs/speed.md). Times in
Postgres are assumed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from pathlib import Path

from reasonloom.errors import InvalidArgument


@dataclass(frozen=True, slots=True)
class Costs:
    """Costs; processor times are in seconds, sizes in bytes.

    Attributes:
        read_process, read_postgres: processor time of a `recall` in our process and in Postgres.
        write_process, write_postgres: the same of a `remember`.
        thought_process, thought_postgres: the same of a step of `reasoning_linear`.
        read_trips, write_trips, thought_trips: round trips to Postgres.
        memory_bytes: a short memory with its indexes, without a vector index.
        vector_index_bytes: its share of a vector index, for owners who have one.
        thought_bytes: what a thought leaves for good.
        steps_bytes: the saved steps of a thought, which are kept for some days.
        overhead: by how much tables and indexes grow beyond their rows.
    """

    read_process: float = 0.0237
    read_postgres: float = 0.0100
    write_process: float = 0.0237
    write_postgres: float = 0.0120
    thought_process: float = 0.0440
    thought_postgres: float = 0.0200
    read_trips: int = 4
    write_trips: int = 5
    thought_trips: int = 9
    memory_bytes: float = 4_830
    vector_index_bytes: float = 1_800
    thought_bytes: float = 2_134
    steps_bytes: float = 8_281
    overhead: float = 1.3


def read_costs(path: Path) -> Costs:
    """Return the costs in a JSON file, which may give only some of them.

    Raises:
        InvalidArgument: the file is not JSON, has an unknown key, or a value is no number above 0.
    """
    try:
        given = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        raise InvalidArgument("--costs: cannot be read as JSON", field="--costs") from None
    known = [each.name for each in fields(Costs)]
    if not isinstance(given, dict) or (unknown := sorted(given.keys() - set(known))):
        raise InvalidArgument(
            f"--costs: must be an object with some of {', '.join(known)}"
            + (f", not {unknown[0]}" if isinstance(given, dict) else ""),
            field="--costs",
        )
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
            raise InvalidArgument(
                f"--costs: {name}: must be a number above 0, such as 0.02", field="--costs"
            )
    return Costs(**given)
