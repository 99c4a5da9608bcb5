"""Loads what every server loads, in the parent that servers to be killed are forked from."""

from __future__ import annotations

from importlib import import_module

from reasonloom.prompts.registry import packaged_templates
from reasonloom.server.app import build_server
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.settings import Settings

for _name in ("uvicorn", "reasonloom.llm.providers.langbase", "tests.support.killing.servers"):
    import_module(_name)
packaged_templates()
build_server(EngineLifespan(Settings(toolsets=("all", "extras"))))  # the schemas of every tool
