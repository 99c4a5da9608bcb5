"""All settings in one frozen class; no other module of reasonloom reads the environment.

Variables have the prefix `REASONLOOM_`; those of the published references (`LANGBASE_API_KEY`,
`PIPE_*`, `MAX_RETRIES`, ...) and `DATABASE_URL` also work without it.
"""

import os
import re
from collections.abc import Mapping
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Literal

from platformdirs import user_data_path
from pydantic import AliasChoices, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from reasonloom.errors import SettingMistake

PREFIX = "REASONLOOM_"
DAY = 86_400
DURATION = re.compile(r"(?P<number>[0-9]+(\.[0-9]+)?)\s*(?P<unit>[smhd]?)")
UNITS = {"s": 1, "m": 60, "h": 3_600, "d": DAY}
NO_TEXT = re.compile("[\0\ud800-\udfff]")
"""Characters that no database stores as text; bytes that are not UTF-8 become lone surrogates."""


def shared(name: str) -> Any:
    """Return the alias `REASONLOOM_<name>`, falling back to a reference's variable `<name>`."""
    return AliasChoices(PREFIX + name, name)


def default_home() -> Path:
    """Return the data folder; for root a system folder, because Postgres runs as another user.

    When started by root, the embedded server makes every parent of its folder accessible to other
    users, which must not happen to a private home.
    """
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return Path("/var/lib/reasonloom")
    return user_data_path("reasonloom", appauthor=False)


Words = Annotated[tuple[str, ...], NoDecode]
Keys = Annotated[tuple[SecretStr, ...], NoDecode]
SHORTEST_KEY = 32
"""Minimum length in bytes of a key in `REASONLOOM_STATE_KEYS`."""

SIGNATURES = (
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA",
)  # fmt: skip
"""Allowed signature algorithms of tokens: the asymmetric ones."""


class Settings(BaseSettings):
    """The settings of a process, from its environment and command-line flags."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        frozen=True,
        extra="ignore",
        populate_by_name=True,
        env_ignore_empty=True,
        allow_inf_nan=False,
    )

    # storage
    home: Path = Field(default_factory=default_home)
    files: Path | None = Field(None)
    database_url: SecretStr | None = Field(None, validation_alias=shared("DATABASE_URL"))
    pooler_url: SecretStr | None = Field(None, validation_alias=shared("DATABASE_POOLER_URL"))
    read_url: SecretStr | None = Field(None, validation_alias=shared("DATABASE_READ_URL"))
    databases: Path | None = Field(None)
    database_path: Path | None = Field(None, validation_alias=shared("DATABASE_PATH"))
    database_connections: int = Field(
        5, ge=1, le=100, validation_alias=shared("DATABASE_MAX_CONNECTIONS")
    )
    statement_seconds: float = Field(60.0, ge=1, le=DAY)
    idle_stop: float = Field(600.0, ge=0, le=30 * DAY)

    # owner
    user: str = Field("local", min_length=1, max_length=200)
    project: str | None = Field(None)

    # authentication and quotas
    tokens: Path | None = Field(None)
    public_url: str | None = Field(None)
    allowed_hosts: Words = Field(())
    allowed_origins: Words = Field(())
    oauth_issuer: str | None = Field(None)
    oauth_jwks: str | None = Field(None)
    oauth_audience: str | None = Field(None)
    oauth_algorithms: Words = Field(("RS256", "ES256"))
    oauth_owner_claim: str = Field("sub", min_length=1)
    oauth_scope_claim: str = Field("scope", min_length=1)
    oauth_groups_claim: str = Field("groups", min_length=1)
    oauth_leeway: float = Field(30.0, ge=0, le=300)
    caller_concurrency: int = Field(32, ge=1)
    caller_requests_per_minute: int = Field(600, ge=1)
    caller_sessions: int = Field(100, ge=1)
    caller_tokens_per_day: int | None = Field(None, ge=1)
    caller_usd_per_day: float | None = Field(None, gt=0, le=1_000_000)
    answer_characters: int = Field(1_000_000, ge=10_000)

    # language models
    llm: str | None = Field(None)
    judge_llm: str | None = Field(None)
    embedder: str | None = Field(None)
    langbase_api_key: SecretStr | None = Field(None, validation_alias=shared("LANGBASE_API_KEY"))
    langbase_base_url: str = Field(
        "https://api.langbase.com", validation_alias=shared("LANGBASE_BASE_URL")
    )
    llm_base_url: str | None = Field(None)
    request_timeout_ms: int = Field(30_000, ge=1, validation_alias=shared("REQUEST_TIMEOUT_MS"))
    max_retries: int = Field(3, ge=0, le=20, validation_alias=shared("MAX_RETRIES"))
    retry_delay_ms: int = Field(1_000, ge=0, validation_alias=shared("RETRY_DELAY_MS"))
    pipe_linear: str = Field("linear-reasoning-v1", validation_alias=shared("PIPE_LINEAR"))
    pipe_tree: str = Field("tree-reasoning-v1", validation_alias=shared("PIPE_TREE"))
    pipe_divergent: str = Field("divergent-reasoning-v1", validation_alias=shared("PIPE_DIVERGENT"))
    pipe_reflection: str = Field("reflection-v1", validation_alias=shared("PIPE_REFLECTION"))
    pipe_auto: str = Field("mode-router-v1", validation_alias=shared("PIPE_AUTO"))
    pipe_backtracking: str = Field(
        "backtracking-reasoning-v1", validation_alias=shared("PIPE_BACKTRACKING")
    )
    pipe_got_generate: str = Field("got-generate-v1", validation_alias=shared("PIPE_GOT_GENERATE"))
    pipe_got_score: str = Field("got-score-v1", validation_alias=shared("PIPE_GOT_SCORE"))
    pipe_got_aggregate: str = Field(
        "got-aggregate-v1", validation_alias=shared("PIPE_GOT_AGGREGATE")
    )
    pipe_got_refine: str = Field("got-refine-v1", validation_alias=shared("PIPE_GOT_REFINE"))
    prompts: Path | None = Field(None)

    # budget of a run
    tool_timeout: float = Field(300.0, gt=0, le=DAY)
    budget_calls: int = Field(60, ge=1)
    budget_tokens: int = Field(200_000, ge=1)
    budget_usd: float = Field(2.0, gt=0, le=1_000_000)
    output_tokens: int = Field(8_000, ge=1)

    # memory
    recency_half_life_days: float = Field(1_500.0, gt=0, le=36_500)
    decay_hours: float = Field(24.0, ge=0, le=8_760)
    cluster_hours: float = Field(1.0, ge=0, le=8_760)
    spaces: Words = Field(("me",))
    suspicion: bool = Field(True)
    supersede: Literal["ask", "auto", "off"] = Field("ask")

    # reasoning
    history_tokens: int = Field(4_000, ge=100, le=1_000_000)
    context_tokens: int = Field(1_200, ge=100, le=1_000_000)
    judges: Literal["together", "separate"] = Field("together")
    execute: Literal["on", "off"] = Field("off")

    # conversation history
    max_response_tokens: int = Field(2_000, ge=100, le=1_000_000)
    undo_days: float = Field(7.0, ge=0, le=36_500)
    hook_seconds: float = Field(20.0, ge=0.5, le=300)
    claude_config_dir: Path | None = Field(None, validation_alias=shared("CLAUDE_CONFIG_DIR"))

    # durability
    auto_memory: bool = Field(True)
    resume_within: float = Field(600.0, ge=0, le=30 * DAY)
    wait_days: float = Field(7.0, gt=0, le=36_500)
    self_judged_confidence: float = Field(0.7, ge=0, le=1)
    lease_seconds: float = Field(15.0, ge=0.5, le=3_600)
    keep_steps_days: int = Field(30, ge=1)
    task_days: float = Field(30.0, ge=0, le=36_500)
    task_poll_seconds: float = Field(2.0, ge=0.1, le=3_600)

    # tool catalogue
    toolsets: Words = Field(("default",))
    tools: Words = Field(())
    exclude_tools: Words = Field(())
    read_only: bool = Field(False)
    answers: Literal["full", "short"] = Field("short")
    elicitation: bool = Field(True)
    elicitation_seconds: float = Field(120.0, ge=1, le=DAY)
    serve_as: str | None = Field(None, validation_alias=AliasChoices(PREFIX + "AS"))

    # HTTP
    http: str | None = Field(None)
    trusted_proxies: Words = Field(("127.0.0.1",))
    stateless: bool = Field(False)
    state_keys: Keys = Field(())

    # logging
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", validation_alias=shared("LOG_LEVEL")
    )
    log_format: Literal["pretty", "json"] = Field("pretty", validation_alias=shared("LOG_FORMAT"))
    access_log: Literal["on", "off", "json"] = Field("on")

    # telemetry
    otlp_endpoint: SecretStr | None = Field(
        None, validation_alias=AliasChoices("OTEL_EXPORTER_OTLP_ENDPOINT")
    )

    @field_validator("user", "project", mode="before")
    @classmethod
    def require_name(cls, value: object) -> object:
        """Reject a name that is blank or that no database can store."""
        if isinstance(value, str) and NO_TEXT.search(value):
            raise ValueError("must be text in UTF-8 without NUL")
        if isinstance(value, str) and not value.strip():
            raise ValueError("must not be blank")
        return value

    @field_validator("user")
    @classmethod
    def require_person(cls, value: str) -> str:
        """Reject the name of a team or group, which nobody can pass for."""
        if value.startswith(("team/", "group/")):
            raise ValueError("must not begin with team/ or group/; name a person, such as anna")
        return value

    @field_validator(
        "home", "database_path", "databases", "files", "claude_config_dir", "tokens", "prompts"
    )
    @classmethod
    def make_absolute(cls, value: Path | None) -> Path | None:
        """Expand `~` and resolve relative paths against the working directory."""
        try:
            return value.expanduser().absolute() if value else value
        except RuntimeError:
            raise ValueError("there is no such user after ~") from None

    @field_validator("idle_stop", mode="before")
    @classmethod
    def parse_duration(cls, value: object) -> object:
        """Convert a duration such as `10m` to seconds; a plain number is seconds."""
        if not isinstance(value, str):
            return value
        if match := DURATION.fullmatch(value.strip().lower()):
            return float(match["number"]) * UNITS[match["unit"] or "s"]
        raise ValueError("must be seconds or a duration, such as 600, 10m or 1h; 0 means never")

    @field_validator(
        "toolsets", "tools", "exclude_tools", "state_keys", "allowed_hosts", "allowed_origins",
        "oauth_algorithms", "trusted_proxies", "spaces", mode="before",
    )  # fmt: skip
    @classmethod
    def split_words(cls, value: object) -> object:
        """Split `a, b` into a and b."""
        if isinstance(value, str):
            return tuple(word.strip() for word in value.split(",") if word.strip())
        return value

    @field_validator("state_keys")
    @classmethod
    def check_keys(cls, value: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
        """Reject keys that are too short or duplicated."""
        keys = [key.get_secret_value().encode(errors="surrogateescape") for key in value]
        if any(len(key) < SHORTEST_KEY for key in keys):
            raise ValueError(f"each key must have {SHORTEST_KEY} bytes or more")
        if len(set(keys)) < len(keys):
            raise ValueError("a key occurs twice")
        return value

    @field_validator("oauth_algorithms")
    @classmethod
    def check_algorithms(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """Reject algorithms whose verification key can also sign tokens."""
        if not value or not set(value) <= set(SIGNATURES):
            raise ValueError(f"must be some of {', '.join(SIGNATURES)}")
        return value

    @field_validator("trusted_proxies")
    @classmethod
    def check_proxies(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """Reject what is neither an address nor a network; `*` would believe every client."""
        try:
            for each in value:
                ip_network(each)
        except ValueError:
            form = "each must be an address or a network, such as 10.0.0.0/8"
            raise ValueError(form) from None
        return value

    @field_validator("log_level", "log_format", "access_log", "answers", mode="before")
    @classmethod
    def lower(cls, value: object) -> object:
        """Convert a string to lower case, such as `INFO` to `info`."""
        return value.lower() if isinstance(value, str) else value

    @property
    def database_folder(self) -> Path:
        """The folder of the embedded database."""
        return self.database_path or self.home / "postgres"

    @property
    def files_folder(self) -> Path:
        """The folder of the workspaces' memory files."""
        return self.files or self.home / "files"

    @property
    def claude_folder(self) -> Path:
        """Claude Code's folder for settings and transcripts."""
        return self.claude_config_dir or Path.home() / ".claude"


def variables_of(field: str) -> list[str]:
    """Return the environment variables that set `field`, in order of precedence.

    Examples: `home` -> [`REASONLOOM_HOME`]; `max_retries` -> [`REASONLOOM_MAX_RETRIES`,
    `MAX_RETRIES`].
    """
    alias = Settings.model_fields[field].validation_alias
    if isinstance(alias, AliasChoices):
        return [str(choice) for choice in alias.choices]
    return [PREFIX + field.upper()]


def load_settings(**flags: Any) -> Settings:
    """Load the settings from the environment; `flags` that are not None override it.

    Raises:
        SettingMistake: a value is invalid; names the variable and the fault.
    """
    given = {name: value for name, value in flags.items() if value is not None}
    try:
        return Settings(**given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = _variable_at_fault(str(first["loc"][0]))
        reason = str(first["msg"]).removeprefix("Value error, ")
        raise SettingMistake(f"{name}: {reason}", field=name) from None


def _variable_at_fault(name: str) -> str:
    """Return the environment variable at fault for the field or alias that pydantic names."""
    for field in Settings.model_fields:
        names = variables_of(field)
        if name == field or name in names:
            return next((known for known in names if known in os.environ), names[0])
    return name


def home_or_default() -> Path:
    """Return the home folder without loading other settings; the default if it is invalid."""
    given = os.environ.get(PREFIX + "HOME")
    try:
        return Path(given).expanduser().absolute() if given else default_home()
    except RuntimeError:
        return default_home()


def found_keys(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Return the known providers' variables that are set; they are only reported, never used."""
    known = (
        "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "MISTRAL_API_KEY",
        "GROQ_API_KEY", "OPENROUTER_API_KEY", "DEEPSEEK_API_KEY", "COHERE_API_KEY",
        "OLLAMA_HOST", "OLLAMA_API_BASE",
    )  # fmt: skip
    return [name for name in known if environment.get(name)]


def environment() -> dict[str, str]:
    """Return a copy of the whole environment, for a child process."""
    return dict(os.environ)
