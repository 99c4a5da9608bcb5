"""The environment of servers whose language model is as slow as a test wants."""

from tests.server.tasks.conftest import env, provider

__all__ = ["env", "provider"]
