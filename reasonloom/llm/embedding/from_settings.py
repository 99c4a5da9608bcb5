"""Chooses the embedder from the settings; imports only the chosen one."""

from reasonloom.llm.interfaces import Embedder
from reasonloom.llm.setting_forms import split_kind, unknown_form
from reasonloom.settings import Settings

VARIABLE = "REASONLOOM_EMBEDDER"

FORMS = ("encoder", "wordllama", "fastembed:MODEL", "litellm:MODEL")
"""Valid forms of the setting; fastembed's MODEL may be a local folder."""


DEFAULT = "encoder"


def choose_embedder(settings: Settings, pinned: str | None = None) -> Embedder:
    """Return the embedder named in the settings, else the database's, else the default.

    Its model is loaded on first use. `pinned` is the embedder the database is pinned to until it
    is reindexed; see `stores.memory.pinned_embedder`.

    Raises:
        SettingMistake: the kind is unknown, or its model is missing.
    """
    chosen = settings.embedder or pinned or DEFAULT
    kind, model = split_kind(chosen)
    if kind == "wordllama" and not model:
        from reasonloom.llm.embedding.wordllama import WordllamaEmbedder

        return WordllamaEmbedder()
    if kind == "encoder" and not model:
        from reasonloom.llm.embedding.encoder import EncoderEmbedder

        return EncoderEmbedder()
    if kind == "fastembed" and model:
        from reasonloom.llm.embedding.fastembed import FastembedEmbedder

        return FastembedEmbedder(model)
    if kind == "litellm" and model:
        from reasonloom.llm.embedding.litellm import LitellmEmbedder

        return LitellmEmbedder(model, settings)
    raise unknown_form(VARIABLE, chosen, FORMS)
