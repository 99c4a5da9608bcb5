"""What is known of a value within an answer: its model, and what a short answer keeps of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args

from reasonloom.contracts.base import Answer
from reasonloom.contracts.brief import WHOLE, Brief

Models = Mapping[str, type[Answer]]
"""The answers' models by the names of tools."""


@dataclass(frozen=True, slots=True)
class WireField:
    """A field as it is sent; `models` are those that its value, or an item of it, may have."""

    name: str
    required: bool = False
    models: tuple[type[Answer], ...] = ()


@dataclass(frozen=True, slots=True)
class Shape:
    """An object's model, None where it has none, and its brief."""

    model: type[Answer] | None = None
    brief: Brief = WHOLE

    def field(self, wire: str) -> WireField:
        """Return the field of a wire name; one that the model does not have is optional."""
        known = wire_fields(self.model) if self.model else {}
        return known.get(wire) or WireField(wire)

    def wire_name(self, name: str | None) -> str | None:
        """Return the wire name of a field."""
        known = wire_fields(self.model) if self.model else {}
        return next((wire for wire, each in known.items() if each.name == name), None)


def shape_of(model: type[Answer]) -> Shape:
    """Return the shape of a whole answer."""
    return Shape(model, model.brief)


@cache
def wire_fields(model: type[Answer]) -> Mapping[str, WireField]:
    """Return the fields of a model by their wire names."""
    return {
        each.serialization_alias or each.alias or name: WireField(
            name, each.is_required(), tuple(_models_in(each.annotation))
        )
        for name, each in model.model_fields.items()
    }


def _models_in(annotation: Any) -> list[type[Answer]]:
    if isinstance(annotation, type) and issubclass(annotation, Answer):
        return [annotation]
    return [model for each in get_args(annotation) for model in _models_in(each)]


def inner_shape(
    outer: Shape, owner: Mapping[str, Any], field: WireField, item: Mapping[str, Any], tools: Models
) -> Shape:
    """Return the shape of an object that a field of `owner`, of the shape `outer`, holds."""
    model: type[Answer] | None = next((each for each in field.models if _fits(each, item)), None)
    if field.name in outer.brief.answer_of:
        model = tools.get(str(owner.get(outer.brief.answer_of[field.name])))
    if model is None:
        return Shape()
    return Shape(model, outer.brief.within.get(field.name, model.brief))


def _fits(model: type[Answer], value: Mapping[str, Any]) -> bool:
    return all(name in value for name, each in wire_fields(model).items() if each.required)
