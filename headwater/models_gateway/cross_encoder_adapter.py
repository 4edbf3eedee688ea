"""A low-rank adapter of the cross-encoder's weights.

Belongs here: the file of an adapter, and the weights that it changes. Not here: the model (`cross_encoder`), training
(`bench.answer_reader`). Guarantee: the same files give the same weights; nothing is written.

Source: Hu et al., LoRA (https://arxiv.org/abs/2106.09685). The weights are int8 numbers, each matrix with one scale. A
change is rounded to the same steps, so that the adapted model takes as long as the model itself.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headwater.errors import ModelUnavailableError

ANSWER_READER = Path(__file__).with_name("answer_reader.safetensors")
"""Makes the cross-encoder say whether a window answers a question, instead of whether a passage is about it."""


def adapt_weights(model_file: Path, adapter_file: Path) -> dict[str, NDArray[Any]]:
    """Read the weights that an adapter changes, and change them.

    The adapter says where each matrix begins in the file of the model, in bytes, and what one step of its numbers is
    worth, because that is simpler than reading ONNX; so the file has to be the one that it was made for.

    Args:
        model_file: the ONNX file, whose SHA-256 the caller has checked.
        adapter_file: for each matrix `NAME.down`, shape (inputs, rank), and `NAME.up`, shape (rank, outputs); other
            tensors replace those of the model. `places` in its metadata is JSON: NAME to offset and step.

    Returns:
        The changed tensors by their names in the ONNX file.

    Raises:
        ModelUnavailableError: the adapter is missing, damaged or of another model.
    """
    from safetensors import safe_open

    model = np.memmap(model_file, np.int8, mode="r")
    adapted: dict[str, NDArray[Any]] = {}
    try:
        with safe_open(adapter_file, framework="np") as adapter:
            places: dict[str, tuple[int, float]] = json.loads(adapter.metadata()["places"])
            for name, (offset, step) in places.items():
                down, up = (adapter.get_tensor(f"{name}.{side}").astype(np.float32) for side in ("down", "up"))
                shape = (down.shape[0], up.shape[1])
                weights = model[offset : offset + shape[0] * shape[1]].reshape(shape)
                adapted[name] = np.clip(np.rint(weights + down @ up / step), -127, 127).astype(np.int8)
            replacements = set(adapter.keys()) - {f"{name}.{side}" for name in places for side in ("down", "up")}
            return adapted | {name: adapter.get_tensor(name) for name in replacements}
    except Exception as error:  # safetensors' own errors have no class in common with those of a wrong shape
        message = f"The adapter {adapter_file} cannot be used: {error}. Install Headwater again."
        raise ModelUnavailableError(message) from error
