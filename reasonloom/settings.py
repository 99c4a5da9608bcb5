"""All settings in one frozen class: nothing else in reasonloom reads the environment.

Names start with `REASONLOOM_`; the variables of the published references
(`LANGBASE_API_KEY`, `PIPE_*`, `MAX_RETRIES`, ...) and `DATABASE_URL` keep their own.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from platformdirs import user_data_path
from pydantic import AliasChoices, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from reasonloom.errors import SettingMistake

PREFIX = "REASONLOOM_"


def own(name: str, *others: str) -> Any:
    """Validation alias: the variable `REASONLOOM_<name>` before the `others`."""
    return AliasChoices(PREFIX + name, *others)


def default_home() -> Path:
    """Return the data folder; as root a system folder, because Postgres runs as another user.

    The embedded server, started by root, opens every parent of its folder to other users,
    which must not happen to a private home.
    """
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return Path("/var/lib/reasonloom")
    return user_data_path("reasonloom", appauthor=False)


Words = Annotated[tuple[str, ...], NoDecode]


class Settings(BaseSettings):
    """What a process of reasonloom was told by its environment and its flags."""

    model_config = SettingsConfigDict(
        frozen=True, extra="ignore", populate_by_name=True, env_ignore_empty=True
    )

    # where
    home: Path = Field(default_factory=default_home, validation_alias=own("HOME"))
    database_url: SecretStr | None = Field(None, validation_alias=own("DATABASE_URL", "DATABASE_URL"))
    database_path: Path | None = Field(None, validation_alias=own("DATABASE_PATH", "DATABASE_PATH"))
    database_connections: int = Field(
        5, ge=1, le=100, validation_alias=own("DATABASE_MAX_CONNECTIONS", "DATABASE_MAX_CONNECTIONS")
    )

    # who
    user: str = Field("local", min_length=1, max_length=200, validation_alias=own("USER"))
    project: str | None = Field(None, validation_alias=own("PROJECT"))

    # which language model, and its limits
    llm: str | None = Field(None, validation_alias=own("LLM"))
    embedder: str = Field("wordllama", validation_alias=own("EMBEDDER"))
    langbase_api_key: SecretStr | None = Field(None, validation_alias=own("LANGBASE_API_KEY", "LANGBASE_API_KEY"))
    langbase_base_url: str = Field(
        "https://api.langbase.com", validation_alias=own("LANGBASE_BASE_URL", "LANGBASE_BASE_URL")
    )
    llm_base_url: str | None = Field(None, validation_alias=own("LLM_BASE_URL"))
    request_timeout_ms: int = Field(
        30_000, ge=1, validation_alias=own("REQUEST_TIMEOUT_MS", "REQUEST_TIMEOUT_MS")
    )
    max_retries: int = Field(3, ge=0, le=20, validation_alias=own("MAX_RETRIES", "MAX_RETRIES"))
    retry_delay_ms: int = Field(1_000, ge=0, validation_alias=own("RETRY_DELAY_MS", "RETRY_DELAY_MS"))
    pipe_linear: str = Field("linear-reasoning-v1", validation_alias=own("PIPE_LINEAR", "PIPE_LINEAR"))
    pipe_tree: str = Field("tree-reasoning-v1", validation_alias=own("PIPE_TREE", "PIPE_TREE"))
    pipe_divergent: str = Field(
        "divergent-reasoning-v1", validation_alias=own("PIPE_DIVERGENT", "PIPE_DIVERGENT")
    )
    pipe_reflection: str = Field("reflection-v1", validation_alias=own("PIPE_REFLECTION", "PIPE_REFLECTION"))
    pipe_auto: str = Field("mode-router-v1", validation_alias=own("PIPE_AUTO", "PIPE_AUTO"))
    pipe_backtracking: str = Field(
        "backtracking-reasoning-v1", validation_alias=own("PIPE_BACKTRACKING", "PIPE_BACKTRACKING")
    )
    pipe_got_generate: str = Field(
        "got-generate-v1", validation_alias=own("PIPE_GOT_GENERATE", "PIPE_GOT_GENERATE")
    )
    pipe_got_score: str = Field("got-score-v1", validation_alias=own("PIPE_GOT_SCORE", "PIPE_GOT_SCORE"))
    pipe_got_aggregate: str = Field(
        "got-aggregate-v1", validation_alias=own("PIPE_GOT_AGGREGATE", "PIPE_GOT_AGGREGATE")
    )
    pipe_got_refine: str = Field("got-refine-v1", validation_alias=own("PIPE_GOT_REFINE", "PIPE_GOT_REFINE"))
    prompts: Path | None = Field(None, validation_alias=own("PROMPTS"))

    # limits of one run
    tool_timeout: float = Field(300.0, gt=0, validation_alias=own("TOOL_TIMEOUT"))
    budget_calls: int = Field(60, ge=1, validation_alias=own("BUDGET_CALLS"))
    budget_tokens: int = Field(200_000, ge=1, validation_alias=own("BUDGET_TOKENS"))
    budget_usd: float = Field(2.0, gt=0, validation_alias=own("BUDGET_USD"))

    # durability
    auto_memory: bool = Field(True, validation_alias=own("AUTO_MEMORY"))
    resume_within: float = Field(600.0, ge=0, validation_alias=own("RESUME_WITHIN"))
    lease_seconds: float = Field(15.0, ge=0.5, validation_alias=own("LEASE_SECONDS"))
    keep_steps_days: int = Field(30, ge=1, validation_alias=own("KEEP_STEPS_DAYS"))

    # the catalogue
    toolsets: Words = Field(("default",), validation_alias=own("TOOLSETS"))
    tools: Words = Field((), validation_alias=own("TOOLS"))
    exclude_tools: Words = Field((), validation_alias=own("EXCLUDE_TOOLS"))
    read_only: bool = Field(False, validation_alias=own("READ_ONLY"))
    serve_as: str | None = Field(None, validation_alias=own("AS"))

    # the log
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", validation_alias=own("LOG_LEVEL", "LOG_LEVEL")
    )
    log_format: Literal["pretty", "json"] = Field(
        "pretty", validation_alias=own("LOG_FORMAT", "LOG_FORMAT")
    )

    @field_validator("toolsets", "tools", "exclude_tools", mode="before")
    @classmethod
    def split_words(cls, value: object) -> object:
        """Read `a, b` as the words a and b."""
        if isinstance(value, str):
            return tuple(word.strip() for word in value.split(",") if word.strip())
        return value

    @field_validator("log_level", "log_format", mode="before")
    @classmethod
    def lower(cls, value: object) -> object:
        """Take `INFO` for `info`."""
        return value.lower() if isinstance(value, str) else value

    @property
    def database_folder(self) -> Path:
        """The folder of the embedded database."""
        return self.database_path or self.home / "postgres"


def variable_of(field: str) -> str:
    """Return the environment variable that sets `field` of `Settings`.

    Examples: `home` -> `REASONLOOM_HOME`; `max_retries` -> `MAX_RETRIES`.
    """
    alias = Settings.model_fields[field].validation_alias
    if not isinstance(alias, AliasChoices):
        return PREFIX + field.upper()
    return str(alias.choices[-1])


def load_settings(**flags: Any) -> Settings:
    """Read the environment; `flags` that are not None go over it.

    Raises:
        SettingMistake: a variable cannot be used; names it, the fault and the value's form.
    """
    given = {name: value for name, value in flags.items() if value is not None}
    try:
        return Settings(**given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = str(first["loc"][0])
        raise SettingMistake(f"{name}: {first['msg']}", field=name) from None


def found_keys(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Return the names of known providers' keys that are set; they are offered, never used."""
    known = (
        "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "MISTRAL_API_KEY",
        "GROQ_API_KEY", "OPENROUTER_API_KEY", "DEEPSEEK_API_KEY", "COHERE_API_KEY",
        "OLLAMA_HOST", "OLLAMA_API_BASE",
    )  # fmt: skip
    return [name for name in known if environment.get(name)]
