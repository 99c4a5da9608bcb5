"""How to reach the database: one login for migrations, one for everything else."""

import asyncio
import logging
import re
from dataclasses import dataclass

from psycopg import ProgrammingError, sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from pydantic import SecretStr

from reasonloom.errors import SettingMistake
from reasonloom.settings import Settings
from reasonloom.stores.embedded.postmaster import Address
from reasonloom.stores.embedded.server import EmbeddedServer
from reasonloom.stores.migrations.rls import APP_ROLE

log = logging.getLogger(__name__)
DATABASE = "reasonloom"
SCHEMA = "reasonloom"
OPTION = re.compile(r"(?:-c\s*|--)([\w.]+)=((?:\\.|[^\s\\])+)")
"""A setting in libpq's options, where a backslash escapes the next character."""

SEARCH_PATH = f"-c search_path={SCHEMA},public"
PATIENCE = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
"""How long libpq waits for an unresponsive server: in seconds, the last in milliseconds."""

STATEMENT_SECONDS = 60.0
LOCK_SECONDS = 10
IDLE_SECONDS = 60
"""Server-side limits for the app's role: statement run time, lock wait and idle transaction time.
They exceed every call's own time limit, which its process enforces."""


@dataclass(frozen=True, slots=True)
class Access:
    """The libpq connection strings for one database.

    Attributes:
        admin: for boot and migrations only; may create roles and tables.
        app: for everything else; neither owns a table nor bypasses row-level security.
        embedded: the server that must be running, None if the user provides one.
        pooler: a pooler in transaction mode in front of the server, such as PgBouncer, for the
            transactions of calls; None if they connect as `app`.
        read: a streaming standby of the server, for searches; None if there is none.
    """

    admin: str
    app: str
    embedded: EmbeddedServer | None = None
    pooler: str | None = None
    read: str | None = None

    @property
    def calls(self) -> str:
        """The connection string for the transactions of calls."""
        return self.pooler or self.app

    @property
    def opening(self) -> tuple[str, ...]:
        """The statements that open each transaction of a call.

        A pooler assigns each transaction any of its sessions, which do not have our options.
        """
        if not self.pooler:
            return ()
        options = str(conninfo_to_dict(self.app).get("options"))
        found = ((name, re.sub(r"\\(.)", r"\1", value)) for name, value in OPTION.findall(options))
        settings = sql.SQL(", ").join(
            sql.SQL("set_config({}, {}, true)").format(name, value) for name, value in found
        )
        return (sql.SQL("SELECT {}").format(settings).as_string(),)

    async def ensure(self) -> None:
        """Start the embedded server if it is not running.

        Raises:
            DatabaseUnavailable: it cannot be started.
        """
        if self.embedded:
            await asyncio.to_thread(self.embedded.ensure)


async def find_access(settings: Settings) -> Access:
    """Return access to the user's own server, or else to the embedded one, which is started.

    Raises:
        SettingMistake: `DATABASE_URL` or one that needs it is not a Postgres URL, or only the
            latter is set; or `REASONLOOM_DATABASES` names several databases.
        DatabaseUnavailable: the embedded server cannot be started.
    """
    if settings.databases:
        raise SettingMistake(
            "REASONLOOM_DATABASES: this needs a single database, DATABASE_URL",
            field="REASONLOOM_DATABASES",
        )
    if settings.database_url:
        return own_access(
            settings.database_url,
            settings.pooler_url,
            settings.read_url,
            settings.statement_seconds,
        )
    if settings.pooler_url:
        raise SettingMistake(
            "DATABASE_POOLER_URL: needs DATABASE_URL, the way past the pooler, for the schema",
            field="DATABASE_POOLER_URL",
        )
    if settings.read_url:
        raise SettingMistake(
            "DATABASE_READ_URL: needs DATABASE_URL, the server that it is a standby of",
            field="DATABASE_READ_URL",
        )
    server = EmbeddedServer(settings.database_folder, idle_stop=settings.idle_stop)
    return await embedded_access(server, DATABASE, settings.statement_seconds)


def location(settings: Settings) -> str:
    """Return where the database is, without user, password and options.

    Raises:
        SettingMistake: `DATABASE_URL` is not a Postgres URL.
    """
    if not settings.database_url:
        return f"embedded in {settings.database_folder}"
    given = conninfo_to_dict(_read_url(settings.database_url, "DATABASE_URL"))
    host, port, name = (given.get(key) or "" for key in ("host", "port", "dbname"))
    return f"postgresql://{host}{f':{port}' if port else ''}/{name}"


async def embedded_access(
    server: EmbeddedServer, database: str, seconds: float = STATEMENT_SECONDS
) -> Access:
    """Return access to `database` of an embedded server, which is started if needed.

    A thread cannot be cancelled: if the caller is, the start is waited for, so that the caller can
    stop what was started.
    """
    starting = asyncio.ensure_future(asyncio.to_thread(server.ensure))
    try:
        address = await asyncio.shield(starting)
    except asyncio.CancelledError:
        await asyncio.wait([starting])
        raise
    return access_at(address, database, server, seconds)


def access_at(
    address: Address, database: str, server: EmbeddedServer, seconds: float = STATEMENT_SECONDS
) -> Access:
    """Return access to `database` of a server that runs at `address`.

    `seconds` is the statement timeout of the app's role.
    """
    return Access(
        admin=_with_options(address.dsn("postgres", database)),
        app=_with_options(address.dsn(APP_ROLE, database), limits(seconds)),
        embedded=server,
    )


def limits(statement: float, lock: float = LOCK_SECONDS, idle: float = IDLE_SECONDS) -> str:
    """Return the connection options that set these timeouts, each given in seconds."""
    bounds = {
        "statement_timeout": statement,
        "lock_timeout": lock,
        "idle_in_transaction_session_timeout": idle,
    }
    return " ".join(f"-c {name}={round(seconds * 1000)}" for name, seconds in bounds.items())


def own_access(
    url: SecretStr, pooler: SecretStr | None, read: SecretStr | None, seconds: float
) -> Access:
    """Return access to a server of the user's own; its login steps down to the app's role.

    `seconds` is the statement timeout of the app's role.

    Raises:
        SettingMistake: one of them is not a Postgres URL.
    """
    plain = _read_url(url, "DATABASE_URL")
    steps_down = f"-c role={APP_ROLE} {limits(seconds)}"
    pooled = _read_url(pooler, "DATABASE_POOLER_URL") if pooler else None
    standby = _read_url(read, "DATABASE_READ_URL") if read else None
    return Access(
        admin=_with_options(plain),
        app=_with_options(plain, steps_down),
        pooler=pooled and make_conninfo(pooled, **PATIENCE),
        read=standby and _with_options(standby, steps_down),
    )


def _read_url(secret: SecretStr, field: str) -> str:
    """Return the URL in a form that libpq can read."""
    scheme, mark, rest = secret.get_secret_value().partition("://")
    if not mark or scheme.lower().split("+")[0] not in ("postgres", "postgresql"):
        raise SettingMistake(
            f"{field}: must be postgresql://USER:PASSWORD@HOST:PORT/NAME", field=field
        )
    plain = f"postgresql://{rest}"
    try:
        conninfo_to_dict(plain)
    except (ProgrammingError, UnicodeError):
        raise SettingMistake(f"{field}: not a URL libpq can read", field=field) from None
    return plain


def _with_options(conninfo: str, extra: str = "") -> str:
    given = conninfo_to_dict(conninfo).get("options") or ""
    options = " ".join(filter(None, (str(given), SEARCH_PATH, extra)))
    return make_conninfo(conninfo, options=options, **PATIENCE)
