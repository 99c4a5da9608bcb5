"""Writes the trained weights as one ONNX graph of whole numbers: `python training/export.py`.

Inputs: `ids` and `mask`, int64 of shape (texts, tokens). Outputs, float32 of shape (texts, n):
`bias` 9, `emotion` 12, `circumplex` 3, `framework` 8, `soundness` 1; and `pull`, (texts, tokens,
9): what each token adds to `bias`, which is their mean.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

HIDDEN, HEADS = 384, 12
OUTPUTS = {"bias": 9, "emotion": 12, "circumplex": 3, "framework": 8, "soundness": 1}


class Net:
    """Collects the nodes and weights of a graph."""

    def __init__(self, weights: dict[str, np.ndarray]) -> None:
        self.weights = weights
        self.nodes: list[onnx.NodeProto] = []
        self.stored: dict[str, onnx.TensorProto] = {}
        self.count = 0

    def op(self, kind: str, *inputs: str, **attributes: object) -> str:
        """Add a node and return the name of its output."""
        self.count += 1
        name = f"{kind.lower()}_{self.count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name

    def constant(self, name: str, value: np.ndarray) -> str:
        """Store an array under a name and return it."""
        self.stored.setdefault(name, numpy_helper.from_array(value, name))
        return name

    def weight(self, name: str, *, turned: bool = False) -> str:
        """Store one of the trained arrays."""
        value = self.weights[name]
        return self.constant(name, np.ascontiguousarray(value.T if turned else value))

    def linear(self, x: str, name: str) -> str:
        """Add a layer x @ W.T + b."""
        product = self.op("MatMul", x, self.weight(f"{name}.weight", turned=True))
        return self.op("Add", product, self.weight(f"{name}.bias"))

    def norm(self, x: str, name: str) -> str:
        """Add a layer norm over the last axis."""
        scale, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.op("LayerNormalization", x, scale, bias, axis=-1, epsilon=1e-12)


def embedded(net: Net) -> str:
    """Add the sum of word, place and type vectors; words are stored as whole numbers."""
    table = net.weights["encoder.words.weight"]
    scale = np.abs(table).max(axis=1, keepdims=True).clip(1e-9) / 127
    small = net.constant("words", np.round(table / scale).astype(np.int8))
    gathered = net.op("Cast", net.op("Gather", small, "ids"), to=TensorProto.FLOAT)
    scales = net.op("Gather", net.constant("word_scales", scale.astype(np.float32)), "ids")
    words = net.op("Mul", gathered, scales)
    shape = net.op("Shape", "ids")
    length = net.op("Gather", shape, net.constant("one", np.array(1, np.int64)))
    places = net.weights["encoder.places.weight"] + net.weights["encoder.types.weight"][0]
    row = net.op(
        "Slice",
        net.constant("places", places.astype(np.float32)),
        net.constant("zero_", np.array([0], np.int64)),
        net.op("Unsqueeze", length, net.constant("axis0", np.array([0], np.int64))),
        net.constant("axis0_", np.array([0], np.int64)),
    )
    return net.norm(net.op("Add", words, row), "encoder.norm")


def split(net: Net, x: str) -> str:
    """Turn (texts, tokens, hidden) into (texts, heads, tokens, part)."""
    shape = net.constant("split", np.array([0, 0, HEADS, HIDDEN // HEADS], np.int64))
    return net.op("Transpose", net.op("Reshape", x, shape), perm=[0, 2, 1, 3])


def layer(net: Net, x: str, hidden: str, number: int) -> str:
    """Add one layer: attention and a feed-forward net, each with its norm."""
    name = f"encoder.layers.{number}"
    q, k, v = (split(net, net.linear(x, f"{name}.{part}")) for part in ("q", "k", "v"))
    turned = net.op("Transpose", k, perm=[0, 1, 3, 2])
    root = net.constant("root", np.array((HIDDEN // HEADS) ** 0.5, np.float32))
    scores = net.op("Add", net.op("Div", net.op("MatMul", q, turned), root), hidden)
    mixed = net.op("MatMul", net.op("Softmax", scores, axis=-1), v)
    shape = net.constant("merge", np.array([0, 0, HIDDEN], np.int64))
    merged = net.op("Reshape", net.op("Transpose", mixed, perm=[0, 2, 1, 3]), shape)
    x = net.norm(net.op("Add", x, net.linear(merged, f"{name}.o")), f"{name}.norm1")
    inner = net.linear(x, f"{name}.f1")
    half = net.constant("half", np.array(0.5, np.float32))
    root2 = net.constant("root2", np.array(2**0.5, np.float32))
    unit = net.constant("unit", np.array(1, np.float32))
    bell = net.op("Add", net.op("Erf", net.op("Div", inner, root2)), unit)
    gelu = net.op("Mul", net.op("Mul", inner, bell), half)
    return net.norm(net.op("Add", x, net.linear(gelu, f"{name}.f2")), f"{name}.norm2")


def trunk(net: Net) -> tuple[str, str]:
    """Add the encoder; return the vectors of the tokens and their mean over each text."""
    mask = net.op("Cast", "mask", to=TensorProto.FLOAT)
    unit = net.constant("unit", np.array(1, np.float32))
    far = net.constant("far", np.array(-1e9, np.float32))
    axes = net.constant("axes", np.array([1, 2], np.int64))
    hidden = net.op("Unsqueeze", net.op("Mul", net.op("Sub", unit, mask), far), axes)
    x = embedded(net)
    layers = 1 + max(int(name.split(".")[2]) for name in net.weights if ".layers." in name)
    for number in range(layers):
        x = layer(net, x, hidden, number)
    last = net.constant("last", np.array([2], np.int64))
    one = net.constant("first", np.array([1], np.int64))
    weight = net.op("Unsqueeze", mask, last)
    total = net.op("ReduceSum", net.op("Mul", x, weight), one, keepdims=0)
    return x, net.op("Div", total, net.op("ReduceSum", weight, one, keepdims=0))


def graph_of(weights: dict[str, np.ndarray]) -> onnx.ModelProto:
    """Return the whole graph."""
    net = Net(weights)
    x, pooled = trunk(net)
    net.nodes.append(helper.make_node("Identity", [net.linear(x, "heads.bias")], ["pull"]))
    shape = ["texts", "tokens", OUTPUTS["bias"]]
    outputs = [helper.make_tensor_value_info("pull", TensorProto.FLOAT, shape)]
    for name, size in OUTPUTS.items():
        made = net.linear(pooled, f"heads.{name}")
        net.nodes.append(helper.make_node("Identity", [made], [name]))
        outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, ["texts", size]))
    return model_of(net, "reader", outputs)


def model_of(net: Net, name: str, outputs: list[onnx.ValueInfoProto]) -> onnx.ModelProto:
    """Return the collected graph with its inputs and these outputs."""
    shape = ["texts", "tokens"]
    inputs = [helper.make_tensor_value_info(n, TensorProto.INT64, shape) for n in ("ids", "mask")]
    made = helper.make_graph(net.nodes, name, inputs, outputs, list(net.stored.values()))
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def write(model: onnx.ModelProto, path: Path) -> None:
    """Write a graph with its matrices as whole numbers."""
    onnx.checker.check_model(model)
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.onnx"
        onnx.save(model, whole)
        quantize_dynamic(whole, path, per_channel=True, weight_type=QuantType.QInt8)


def main() -> None:
    """Read the weights, write the graph."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("weights", type=Path)
    given.add_argument("onnx", type=Path)
    paths = given.parse_args()
    with np.load(paths.weights) as weights:
        write(graph_of(dict(weights)), paths.onnx)


if __name__ == "__main__":
    main()
