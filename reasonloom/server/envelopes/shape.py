"""Shapes of values within an answer: the model, and the brief that short answers follow."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args

from reasonloom.contracts.base import Answer
from reasonloom.contracts.brief import WHOLE, Brief

Models = Mapping[str, type[Answer]]
"""Answer models by tool name."""


@dataclass(frozen=True, slots=True)
class WireField:
    """A field as serialized; `models` are the possible models of its value or items."""

    name: str
    required: bool = False
    models: tuple[type[Answer], ...] = ()


@dataclass(frozen=True, slots=True)
class Shape:
    """An object's model, None if it has none, and its brief."""

    model: type[Answer] | None = None
    brief: Brief = WHOLE

    def field(self, wire: str) -> WireField:
        """Return the field with a wire name; fields unknown to the model count as optional."""
        known = wire_fields(self.model) if self.model else {}
        return known.get(wire) or WireField(wire)

    def wire_name(self, name: str | None) -> str | None:
        """Return the wire name of a field, None if the model has no such field."""
        known = wire_fields(self.model) if self.model else {}
        return next((wire for wire, each in known.items() if each.name == name), None)


def shape_of(model: type[Answer]) -> Shape:
    """Return the shape of a whole answer."""
    return Shape(model, model.brief)


@cache
def wire_fields(model: type[Answer]) -> Mapping[str, WireField]:
    """Return the fields of a model by wire name."""
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
    """Return the shape of `item`, an object in a field of `owner`, which has the shape `outer`."""
    model: type[Answer] | None = next((each for each in field.models if _fits(each, item)), None)
    if field.name in outer.brief.answer_of:
        model = tools.get(str(owner.get(outer.brief.answer_of[field.name])))
    if model is None:
        return Shape()
    return Shape(model, outer.brief.within.get(field.name, model.brief))


def _fits(model: type[Answer], value: Mapping[str, Any]) -> bool:
    return all(name in value for name, each in wire_fields(model).items() if each.required)
