"""Registers a local model folder, as exported by optimum or sentence-transformers, in fastembed."""

import importlib
import json
from pathlib import Path
from typing import Any

_FILES = ("model.onnx", "onnx/model.onnx", "model_optimized.onnx")


def is_folder(model: str) -> bool:
    """Return whether the setting names a folder rather than a registered model."""
    return model.startswith(("/", ".", "~")) or Path(model).is_dir()


def register(fastembed: Any, name: str, folder: Path) -> None:
    """Add the folder to fastembed's registry under `name`, once per process.

    Raises:
        FileNotFoundError: the folder contains no ONNX file.
    """
    registry = fastembed.TextEmbedding
    if any(entry["model"] == name for entry in registry.list_supported_models()):
        return
    described = importlib.import_module("fastembed.common.model_description")
    file = _onnx_file(folder)
    shape = _output_shape(folder / file)
    registry.add_custom_model(
        model=name,
        pooling=described.PoolingType[_pooling(folder, len(shape))],
        normalization=True,
        sources=described.ModelSource(url="https://localhost"),  # never fetched: files are local
        dim=shape[-1] if isinstance(shape[-1], int) else 0,
        model_file=file,
    )


def _onnx_file(folder: Path) -> str:
    found = [name for name in _FILES if (folder / name).is_file()]
    found += sorted(str(path.relative_to(folder)) for path in folder.rglob("*.onnx"))
    if not found:
        raise FileNotFoundError("no .onnx file")
    return found[0]


def _output_shape(file: Path) -> list[Any]:
    """Return the shape of the first output: (batch, tokens, dimension) or (batch, dimension)."""
    runtime = importlib.import_module("onnxruntime")
    session = runtime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    return list(session.get_outputs()[0].shape)


def _pooling(folder: Path, axes: int) -> str:
    """Return the pooling from the folder's sentence-transformers config, by default the mean."""
    if axes == 2:  # noqa: PLR2004  # the model has pooled its tokens itself
        return "DISABLED"
    try:
        config = json.loads((folder / "1_Pooling" / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return "MEAN"
    return "CLS" if config.get("pooling_mode_cls_token") else "MEAN"
