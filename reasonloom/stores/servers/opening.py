"""Opens what the settings name: one database, or several."""

from __future__ import annotations

from reasonloom.errors import SettingMistake
from reasonloom.settings import Settings
from reasonloom.stores.access import Access, find_access
from reasonloom.stores.database import Database
from reasonloom.stores.migrate import bring_up_to_date
from reasonloom.stores.servers.standby import database_at


async def open_database(
    settings: Settings, access: Access | None = None, *, connections: int | None = None
) -> Database:
    """Return the database of the settings, or the one at `access`, with the newest schema.

    Of several databases each is opened when first needed. `connections` overrides the setting.

    Raises:
        SettingMistake: a setting or the file of databases is invalid.
        DatabaseUnavailable: the only database cannot be reached or migrated.
    """
    connections = connections or settings.database_connections
    if settings.databases and access is None:
        from reasonloom.stores.servers.databases import Databases  # noqa: PLC0415
        from reasonloom.stores.servers.layout import load_layout  # noqa: PLC0415

        return Databases(load_layout(settings), connections=connections)
    access = access or await find_access(settings)
    await bring_up_to_date(access)
    return database_at(access, connections=connections)


async def find_accesses(settings: Settings, name: str | None = None) -> dict[str, Access]:
    """Return how to reach each database by name, or only the one with this name.

    The name of a single database is empty.

    Raises:
        SettingMistake: a setting or the file of databases is invalid, or has no such name.
        DatabaseUnavailable: the embedded server cannot be started.
    """
    if settings.databases:
        from reasonloom.stores.servers.layout import load_layout  # noqa: PLC0415

        layout = load_layout(settings)
        if name:
            return {name: layout.accesses[layout.require(name, "--database")]}
        return dict(layout.accesses)
    if name:
        raise SettingMistake(
            "--database: needs REASONLOOM_DATABASES, the file that names databases",
            field="--database",
        )
    return {"": await find_access(settings)}


async def queue_access(settings: Settings) -> Access:
    """Return how to reach the database that has the queue of jobs: of several, the first.

    Raises:
        SettingMistake: a setting or the file of databases is invalid.
        DatabaseUnavailable: the embedded server cannot be started.
    """
    return next(iter((await find_accesses(settings)).values()))
