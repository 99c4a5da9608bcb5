"""A mind for agents that can be inspected: durable reasoning modes over one shared memory."""

from importlib.metadata import version

from reasonloom.moved import install

__version__ = version("reasonloom")
install()
