"""Files of fastembed's models: real ones, made on this machine instead of downloaded.

Belongs here: all-MiniLM-L6-v2 as fastembed wants it, and a small cross-encoder that counts shared words. Not here: what
is expected of them. Guarantee: nothing is downloaded; both run in onnxruntime.
"""

import json
import shutil
from pathlib import Path

import numpy as np

from headwater.models_gateway import minilm, onnx_file
from headwater.models_gateway.minilm import MiniLmEmbedder

EMBEDDER = "fastembed/sentence-transformers/all-MiniLM-L6-v2"
RERANKER = "fastembed/Xenova/ms-marco-MiniLM-L-6-v2"


def copied_embedder(folder: Path, cache: Path) -> Path:
    """The built-in model's int8 network in a folder, as a person would copy a model; returns the model's folder."""
    MiniLmEmbedder(cache, threads=1).embed(["build"])
    made = folder / EMBEDDER.removeprefix("fastembed/")
    _tokenizer(made)
    # fastembed averages the tokens itself, and takes the first output: readers merge what is written twice, in order.
    tokens = onnx_file.tensor_info("encoder.layer.5.output.normalised")
    tokens_first = onnx_file.model(nodes=[], constants=[], inputs=[], outputs=[tokens], operators={})
    (made / "model.onnx").write_bytes(tokens_first + MiniLmEmbedder(cache, 1).onnx_file.read_bytes())
    return made


def downloaded_reranker(folder: Path) -> Path:
    """A cross-encoder in Hugging Face's cache, as `headwater models pull` leaves it; returns the model's folder."""
    made = folder / "models--Xenova--ms-marco-MiniLM-L-6-v2" / "snapshots" / "0123456789abcdef"
    _tokenizer(made)
    refs = made.parent.parent / "refs"
    refs.mkdir()
    (refs / "main").write_text(made.name)
    (made / "onnx").mkdir()
    (made / "onnx" / "model.onnx").write_bytes(_word_counter())
    return made


def _word_counter() -> bytes:
    """A network whose logit is the number of pairs of equal tokens in question and text, less 2."""
    node, tensor = onnx_file.node, onnx_file.tensor
    steps = [
        ("Unsqueeze", ["input_ids", "one"], "row"),
        ("Unsqueeze", ["input_ids", "two"], "column"),
        ("Equal", ["row", "column"], "is_same"),
        ("Unsqueeze", ["token_type_ids", "one"], "row_type"),
        ("Unsqueeze", ["token_type_ids", "two"], "column_type"),
        ("Less", ["row_type", "column_type"], "is_between"),
        ("And", ["is_same", "is_between"], "is_shared"),
        ("Cast", ["is_shared"], "number"),
        ("ReduceSum", ["number", "axes"], "count"),
        ("Sub", ["count", "bias"], "pairs"),
        ("Reshape", ["pairs", "shape"], "logits"),
    ]
    return onnx_file.model(
        nodes=[node(operator, given, [made], "", **({"to": 1} if operator == "Cast" else {"keepdims": 0} if
               operator == "ReduceSum" else {})) for operator, given, made in steps],
        constants=[
            tensor("one", np.array([1], np.int64)), tensor("two", np.array([2], np.int64)),
            tensor("axes", np.array([1, 2], np.int64)), tensor("shape", np.array([-1, 1], np.int64)),
            tensor("bias", np.array(3, np.float32)),  # [SEP] ends both
        ],
        inputs=[onnx_file.tensor_info(name, "int64", ["texts", "tokens"]) for name in ("input_ids", "token_type_ids")],
        outputs=[onnx_file.tensor_info("logits", "float32", ["texts", 1])],
        operators={"": 17},
    )  # fmt: skip


def _tokenizer(folder: Path) -> None:
    folder.mkdir(parents=True)
    for name in ("tokenizer.json", "special_tokens_map.json"):
        shutil.copyfile(minilm.find_weights() / name, folder / name)
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 0}))
    said = {"model_max_length": minilm.WINDOW_TOKENS, "pad_token": "[PAD]"}
    (folder / "tokenizer_config.json").write_text(json.dumps(said))
