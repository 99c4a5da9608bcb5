"""Inspectable, durable reasoning modes for agents over one shared memory."""

from importlib.metadata import version

from reasonloom.moved import install

__version__ = version("reasonloom")
install()
