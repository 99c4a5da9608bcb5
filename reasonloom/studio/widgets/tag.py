"""One HTML element with a text: what others wrote stays text, and nothing in it is invisible."""

from __future__ import annotations

from nicegui.elements.mixins.text_element import TextElement

from reasonloom.studio.widgets.invisible import seen


def tag(
    name: str, text: str = "", look: str = "", /, **attributes: str | int | bool
) -> TextElement:
    """Draw `<name>` with a text; `look` are its classes, `aria_label` sets aria-label."""
    element = TextElement(tag=name, text=seen(text))
    if look:
        element.classes(look)
    for attribute, value in attributes.items():
        element.props[attribute.rstrip("_").replace("_", "-")] = value
    return element
