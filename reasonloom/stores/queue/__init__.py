"""The queue of background jobs: Procrastinate's tables in a schema of their own."""

from importlib.util import find_spec

from reasonloom.errors import SettingMistake

if find_spec("procrastinate") is None:
    raise SettingMistake(
        "workers and their queue need the extra workers: pip install 'reasonloom[workers]'"
    )
