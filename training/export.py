"""Writes what the package reads with: `python training/export.py MODEL ENCODER READER PACKAGE`.

MODEL is a folder with `model.safetensors` of all-MiniLM-L6-v2, ENCODER what `train_encoder.py`
wrote, READER what `train.py` wrote, and PACKAGE the folder `reasonloom`. Three files are written.
`llm/encoder/words.npz`: the vectors of words, places and types, which both graphs begin with.
`llm/encoder/encoder.onnx` and `llm/classifier/reader.onnx`: the trained layers, and the heads. Each
graph reads one text alone. Input: `words`, float32 of shape (tokens, 384). Outputs of the encoder:
`tokens` (tokens, 384), the vectors of the last layer, and `sentence` (384), their mean, not normed.
Outputs of the reader, of shape (n): `entailment` 3, `bias` 9, `argues` 1, `emotion` 12,
`circumplex` 3, `framework` 8, `soundness` 1, `replaces` 1, `answers` 1; and `pull`, (tokens, 9):
what each token adds to `bias`, which is their mean.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from weights import published

HIDDEN, HEADS, LAYERS = 384, 12, 6
OUTPUTS = {
    "entailment": 3, "bias": 9, "argues": 1, "emotion": 12, "circumplex": 3, "framework": 8,
    "soundness": 1, "replaces": 1, "answers": 1,
}  # fmt: skip


class Net:
    """Collects the nodes and weights of a graph."""

    def __init__(self, weights: Mapping[str, np.ndarray]) -> None:
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

    def model(
        self, name: str, of_tokens: dict[str, tuple[str, int]], of_text: dict[str, tuple[str, int]]
    ) -> onnx.ModelProto:
        """Return the collected graph; outputs are given with their names and sizes."""
        outputs = []
        for group, shape in ((of_tokens, ["tokens"]), (of_text, [])):
            for output, (made, size) in group.items():
                self.nodes.append(helper.make_node("Identity", [made], [output]))
                form = helper.make_tensor_value_info(output, TensorProto.FLOAT, [*shape, size])
                outputs.append(form)
        given = helper.make_tensor_value_info("words", TensorProto.FLOAT, ["tokens", HIDDEN])
        graph = helper.make_graph(self.nodes, name, [given], outputs, [*self.stored.values()])
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def word_vectors(weights: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the vectors of words, as whole numbers with a scale each, of places and types."""
    table = weights["words.weight"]
    scale = np.abs(table).max(axis=1, keepdims=True).clip(1e-9) / 127
    return {
        "words": np.round(table / scale).astype(np.int8),
        "scales": scale.astype(np.float32),
        "places": weights["places.weight"],
        "types": weights["types.weight"],
    }


def split(net: Net, x: str) -> str:
    """Turn (tokens, hidden) into (heads, tokens, part)."""
    shape = net.constant("split", np.array([0, HEADS, HIDDEN // HEADS], np.int64))
    return net.op("Transpose", net.op("Reshape", x, shape), perm=[1, 0, 2])


def layer(net: Net, x: str, number: int) -> str:
    """Add one layer: attention and a feed-forward net, each with its norm."""
    name = f"encoder.layers.{number}"
    q, k, v = (split(net, net.linear(x, f"{name}.{part}")) for part in ("q", "k", "v"))
    turned = net.op("Transpose", k, perm=[0, 2, 1])
    root = net.constant("root", np.array((HIDDEN // HEADS) ** 0.5, np.float32))
    scores = net.op("Div", net.op("MatMul", q, turned), root)
    mixed = net.op("MatMul", net.op("Softmax", scores, axis=-1), v)
    shape = net.constant("merge", np.array([0, HIDDEN], np.int64))
    merged = net.op("Reshape", net.op("Transpose", mixed, perm=[1, 0, 2]), shape)
    x = net.norm(net.op("Add", x, net.linear(merged, f"{name}.o")), f"{name}.norm1")
    inner = net.linear(x, f"{name}.f1")
    half = net.constant("half", np.array(0.5, np.float32))
    root2 = net.constant("root2", np.array(2**0.5, np.float32))
    unit = net.constant("unit", np.array(1, np.float32))
    bell = net.op("Add", net.op("Erf", net.op("Div", inner, root2)), unit)
    gelu = net.op("Mul", net.op("Mul", inner, bell), half)
    return net.norm(net.op("Add", x, net.linear(gelu, f"{name}.f2")), f"{name}.norm2")


def trunk(net: Net) -> tuple[str, str]:
    """Add the layers; return the vectors of the tokens and their mean."""
    x = net.norm("words", "encoder.norm")
    for number in range(LAYERS):
        x = layer(net, x, number)
    return x, net.op("ReduceMean", x, axes=[0], keepdims=0)


def encoder_graph(weights: Mapping[str, np.ndarray]) -> onnx.ModelProto:
    """Return the graph of the encoder."""
    net = Net({f"encoder.{name}": array for name, array in weights.items()})
    tokens, sentence = trunk(net)
    return net.model("encoder", {"tokens": (tokens, HIDDEN)}, {"sentence": (sentence, HIDDEN)})


def reader_graph(weights: Mapping[str, np.ndarray]) -> onnx.ModelProto:
    """Return the graph of the trained layers and the heads."""
    net = Net(weights)
    tokens, mean = trunk(net)
    pull = net.linear(tokens, "heads.bias")
    heads = {name: (net.linear(mean, f"heads.{name}"), size) for name, size in OUTPUTS.items()}
    return net.model("reader", {"pull": (pull, OUTPUTS["bias"])}, heads)


def write(model: onnx.ModelProto, path: Path) -> None:
    """Write a graph with its matrices as whole numbers of seven bits.

    With eight, sums overflow on processors without VNNI, and a text reads differently there.
    """
    onnx.checker.check_model(model)
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.onnx"
        onnx.save(model, whole)
        quantize_dynamic(
            whole, path, per_channel=True, weight_type=QuantType.QInt8, reduce_range=True
        )


def main() -> None:
    """Read the weights, write the files."""
    given = argparse.ArgumentParser(description=__doc__)
    for name in ("model", "encoder", "reader", "package"):
        given.add_argument(name, type=Path)
    paths = given.parse_args()
    encoder, classifier = (paths.package / "llm" / name for name in ("encoder", "classifier"))
    weights = published(paths.model, range(LAYERS))
    np.savez(encoder / "words.npz", **word_vectors(weights))
    with np.load(paths.encoder) as taught:
        write(encoder_graph(dict(taught)), encoder / "encoder.onnx")
    with np.load(paths.reader) as taught:
        write(reader_graph(dict(taught)), classifier / "reader.onnx")


if __name__ == "__main__":
    main()
