from reasonloom.library.loom import Loom, open
from reasonloom.library.modes import Mode
from reasonloom.library.sync import SyncLoom, open_sync

__all__ = ["Loom", "Mode", "SyncLoom", "open", "open_sync"]

__version__: str
