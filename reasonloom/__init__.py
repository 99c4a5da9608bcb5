"""A mind for agents that can be inspected: durable reasoning modes over one shared memory."""

from importlib.metadata import version

__version__ = version("reasonloom")
