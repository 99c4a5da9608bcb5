"""The browser that pages are opened in."""

from tests.support.browser import browser

__all__ = ["browser"]
