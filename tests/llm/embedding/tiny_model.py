"""Makes a sentence model of a few kilobytes: a table of token vectors behind a real tokenizer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from reasonloom.llm.embedding.vectors import UNRELATED

if TYPE_CHECKING:
    import onnx

DIMENSION = 16


def write_model(folder: Path, *, context: int = 64, pooled: bool = False) -> None:
    """Write `model.onnx`, `tokenizer.json` and `tokenizer_config.json` into `folder`."""
    import onnx

    words = sorted({word for text in UNRELATED for word in text.rstrip(".").split()})
    vocabulary = {word: i for i, word in enumerate(["[PAD]", "[UNK]", "[CLS]", *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A", special_tokens=[("[CLS]", vocabulary["[CLS]"])]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    config = {"model_max_length": context, "pad_token": "[PAD]"}
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    onnx.save(_table(len(vocabulary), pooled=pooled), str(folder / "model.onnx"))


def _table(rows: int, *, pooled: bool) -> onnx.ModelProto:
    from onnx import TensorProto, helper, numpy_helper

    table = np.random.default_rng(7).normal(size=(rows, DIMENSION)).astype(np.float32)
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["tokens"])]
    shape: list[str | int] = ["batch", "length", DIMENSION]
    if pooled:
        nodes.append(helper.make_node("ReduceMean", ["tokens", "one"], ["pooled"], keepdims=0))
        shape = ["batch", DIMENSION]
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "length"])
    out = helper.make_tensor_value_info(nodes[-1].output[0], TensorProto.FLOAT, shape)
    held = [
        numpy_helper.from_array(table, "table"),
        numpy_helper.from_array(np.array([1], dtype=np.int64), "one"),
    ]
    graph = helper.make_graph(nodes, "tiny", [ids], [out], initializer=held)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    made.ir_version = 9
    return made
