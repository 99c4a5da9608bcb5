"""Chooses the language model from the settings; imports only the chosen provider."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from reasonloom.errors import SettingMistake
from reasonloom.llm.interfaces import LanguageModel
from reasonloom.llm.providers.caller import CALLER
from reasonloom.llm.setting_forms import one_of, split_kind, unknown_form
from reasonloom.settings import Settings

VARIABLE, JUDGE_VARIABLE = "REASONLOOM_LLM", "REASONLOOM_JUDGE_LLM"

FORMS = (
    "offline",
    "caller",
    "langbase",
    "litellm:MODEL",
    "replay:FILE",
    "record:FILE:INNER",
    "simulated:NAME",
)
"""Valid forms of the setting. `replay:FILE` replays a recording; `record:FILE:INNER` calls INNER,
itself any of these forms, and appends each reply to FILE."""

JUDGE_FORMS = tuple(form for form in FORMS if form not in ("offline", CALLER))
"""Valid forms for a judge, which can be neither the offline model nor the caller."""

_FILE_THEN_INNER = re.compile(r"((?:[A-Za-z]:(?=[\\/]))?[^:]+):(.+)", re.S)
"""A file, whose only colon may be that of a Windows drive, and the rest after the next colon."""

_NONE: Mapping[str, Callable[[], LanguageModel]] = MappingProxyType({})


def choose_llm(
    settings: Settings, simulated: Mapping[str, Callable[[], LanguageModel]] = _NONE
) -> LanguageModel:
    """Return the language model named in the settings, ready to answer.

    Args:
        settings: `llm` decides; else `langbase` if its key is set; else `offline`.
        simulated: factories of scripted models by name, for `simulated:NAME`.

    Raises:
        SettingMistake: the kind is unknown, its argument is missing, or a recording is unusable.
    """
    return _make(chosen(settings), settings, simulated)


def choose_judge(
    settings: Settings, simulated: Mapping[str, Callable[[], LanguageModel]] = _NONE
) -> LanguageModel | None:
    """Return the judge model, None if none is set.

    Raises:
        SettingMistake: as in `choose_llm`, or the judge is `offline` or `caller`.
    """
    setting = settings.judge_llm
    if not setting:
        return None
    if split_kind(setting)[0] not in {form.partition(":")[0] for form in JUDGE_FORMS}:
        raise unknown_form(JUDGE_VARIABLE, setting, JUDGE_FORMS)
    try:
        return _make(setting, settings, simulated)
    except SettingMistake as mistake:
        if mistake.field != VARIABLE:
            raise
        message = mistake.message.replace(VARIABLE, JUDGE_VARIABLE)
        raise SettingMistake(message, field=JUDGE_VARIABLE) from None


def chosen(settings: Settings) -> str:
    """Return the effective setting, explicit or derived.

    With `caller` this is the fallback for references and background work, where no caller can
    answer.
    """
    if settings.llm and settings.llm != CALLER:
        return settings.llm.strip()
    return "langbase" if settings.langbase_api_key else "offline"


def why(settings: Settings) -> str:
    """Explain which language model is used, and why."""
    if settings.llm == CALLER:
        return (
            f"{CALLER}, set by {VARIABLE}: tools ask the model that calls them, and "
            f"{chosen(settings)} serves references and background work."
        )
    if settings.llm:
        return f"{settings.llm.strip()}, set by {VARIABLE}"
    if settings.langbase_api_key:
        return f"langbase, because LANGBASE_API_KEY is set and {VARIABLE} is not"
    return (
        f"offline, because neither {VARIABLE} nor LANGBASE_API_KEY is set: answers quote what is "
        "known; `reasonloom serve` uses the model that calls its tools"
    )


def _make(
    setting: str, settings: Settings, simulated: Mapping[str, Callable[[], LanguageModel]]
) -> LanguageModel:
    kind, argument = split_kind(setting)
    if kind in ("offline", "langbase") and not argument:
        return _plain(kind, settings)
    if kind == "litellm" and argument:
        from reasonloom.llm.providers.litellm import LitellmModel

        return LitellmModel(argument, settings)
    if kind == "replay" and argument:
        from reasonloom.llm.providers.replay import ReplayModel

        return ReplayModel(argument)
    if kind == "record" and (parts := _FILE_THEN_INNER.fullmatch(argument)):
        from reasonloom.llm.providers.replay import Recorder

        return Recorder(_make(parts[2], settings, simulated), parts[1])
    if kind == "simulated" and argument:
        return _simulated(argument, simulated)
    raise unknown_form(VARIABLE, setting, FORMS)


def _plain(kind: str, settings: Settings) -> LanguageModel:
    if kind == "langbase":
        from reasonloom.llm.providers.langbase import LangbaseModel

        return LangbaseModel(settings)
    from reasonloom.llm.offline.model import OfflineModel

    return OfflineModel()


def _simulated(name: str, simulated: Mapping[str, Callable[[], LanguageModel]]) -> LanguageModel:
    if name not in simulated:
        raise SettingMistake(
            f"{VARIABLE}: no simulated model `{name[:80]}`; {one_of(name, simulated)}",
            field=VARIABLE,
        )
    return simulated[name]()
