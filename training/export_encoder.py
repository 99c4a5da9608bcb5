"""Writes the published weights of all-MiniLM-L6-v2 as one ONNX graph of whole numbers.

`python training/export_encoder.py FOLDER reasonloom/llm/encoder/encoder.onnx`, where FOLDER holds
`model.safetensors`. Inputs: `ids` and `mask`, int64 of shape (texts, tokens). Outputs, float32:
`tokens` (texts, tokens, 384), the vectors of the last layer, and `sentence` (texts, 384), their
mean over the tokens of each text, not normed.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnx
from export import HIDDEN, Net, model_of, trunk, write
from onnx import TensorProto, helper
from weights import published

LAYERS = 6


def graph_of(weights: dict[str, np.ndarray]) -> onnx.ModelProto:
    """Return the whole graph."""
    net = Net(weights)
    tokens, sentence = trunk(net)
    net.nodes.append(helper.make_node("Identity", [tokens], ["tokens"]))
    net.nodes.append(helper.make_node("Identity", [sentence], ["sentence"]))
    shapes = {"tokens": ["texts", "tokens", HIDDEN], "sentence": ["texts", HIDDEN]}
    outputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        for name, shape in shapes.items()
    ]
    return model_of(net, "encoder", outputs)


def main() -> None:
    """Read the weights, write the graph."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("folder", type=Path)
    given.add_argument("onnx", type=Path)
    paths = given.parse_args()
    weights = published(paths.folder, range(LAYERS))
    write(graph_of({f"encoder.{name}": array for name, array in weights.items()}), paths.onnx)


if __name__ == "__main__":
    main()
