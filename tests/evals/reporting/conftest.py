"""The browser that pages are opened in."""

from tests.support.studio.browser import browser

__all__ = ["browser"]
