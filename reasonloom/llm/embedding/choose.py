"""Chooses the embedder from the settings; imports only the chosen one."""

from reasonloom.llm.port import Embedder
from reasonloom.llm.setting_forms import split_kind, unknown_form
from reasonloom.settings import Settings

VARIABLE = "REASONLOOM_EMBEDDER"

FORMS = ("encoder", "wordllama", "fastembed:MODEL", "litellm:MODEL")
"""Every form the setting may have; MODEL of fastembed may be a local folder."""


def choose_embedder(settings: Settings) -> Embedder:
    """Return the embedder that the settings name; its model is loaded on first use.

    Raises:
        SettingMistake: no such kind, or its model is missing.
    """
    kind, model = split_kind(settings.embedder)
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
    raise unknown_form(VARIABLE, settings.embedder, FORMS)
