"""The network of a BERT-like encoder with 384 dimensions, written as an ONNX graph and quantised to int8.

Belongs here: the arithmetic of the network and its quantisation. Not here: reading weights (`minilm`, `e5_weights`),
running the graph (`onnx_encoder`), the format of the file (`onnx_file`). Guarantee: the target file appears whole or
not at all, however many processes build it at once.

Sources: BERT (https://arxiv.org/abs/1810.04805); the models' cards and configurations, mean pooling included
(https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2, https://huggingface.co/intfloat/multilingual-e5-small);
the fused operators (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
"""

import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headwater.models_gateway import onnx_file

GRAPH_VERSION = 2
"""Increase it with every change here that changes the file."""

HEADS = 12
HIDDEN = 384
EPSILON = 1e-12
"""All values are the same in the config.json of both models."""

FLOAT, INT32 = onnx_file.ELEMENT_TYPES["float32"], onnx_file.ELEMENT_TYPES["int32"]

FUSED = "com.microsoft"
"""Domain of the operators that onnxruntime computes in one step instead of a dozen."""

LEFTOVER_SECONDS = 600
"""The age from which the folder of an unfinished build is assumed to be left by a killed one; a build takes seconds."""

Weights = Mapping[str, NDArray[np.float32]]


def build_int8(weights: Weights, target: Path) -> None:
    """Write the quantised graph to a file, in one to five seconds.

    Args:
        weights: the model's tensors under the names that BERT's have in its safetensors file.
        target: the ONNX file to write or replace; its folder must exist.
    """
    _remove_leftovers(target)
    # All work happens in a temporary folder beside the target, so that the last step is a rename.
    with tempfile.TemporaryDirectory(prefix=f"{target.name}.", dir=target.parent) as folder:
        draft = Path(folder, "int8.onnx")
        draft.write_bytes(build_graph(weights))
        draft.replace(target)


def build_graph(weights: Weights, *, is_quantised: bool = True) -> bytes:
    """Build the network.

    Args:
        weights: the model's tensors; their names say how many layers there are.
        is_quantised: with int8 weights, activations being quantised while it runs; else with exact (float32) ones.

    Returns:
        The ONNX file: `input_ids` and `attention_mask` (texts × tokens) in, `sentence_embedding` (texts × 384) and
        `token_embeddings` (texts × tokens × 384) out. Two thirds of the way up, a token's vector says most of what the
        token means in its sentence; docs/benchmarks.md, "The exam", has figures.
    """
    graph = _Int8Graph(weights) if is_quantised else _Graph(weights)
    mask = graph.node("Cast", ["attention_mask"], "mask", to=INT32)
    hidden = _embeddings(graph)
    layers = count_layers(weights)
    for layer in range(layers):
        hidden = _attention(graph, layer, hidden, mask)
        hidden = _feed_forward(graph, layer, hidden)
        if layer == layers * 2 // 3:
            graph.node("Identity", [hidden], "token_embeddings")
    _mean_pooling(graph, hidden)
    return graph.to_bytes()


def count_layers(weights: Weights) -> int:
    """The number of the network's layers."""
    return sum(name.endswith(".attention.self.query.weight") for name in weights)


class _Graph:
    """Nodes and constants, collected in order; every method returns the name of what it added."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []

    def constant(self, name: str, values: NDArray[Any]) -> str:
        self._constants.append(onnx_file.tensor(name, values))
        return name

    def weight(self, name: str) -> str:
        return self.constant(name, self.weights[name])

    def node(self, operator: str, inputs: Sequence[str], output: str, domain: str = "", **attributes: float) -> str:
        self._nodes.append(onnx_file.node(operator, inputs, [output], domain, **attributes))
        return output

    def look_up(self, name: str, ids: str, output: str) -> str:
        """The rows of a weight that ids name."""
        return self.node("Gather", [self.weight(name), ids], output)

    def multiply(self, hidden: str, name: str, output: str) -> str:
        """A linear layer without its bias. PyTorch keeps it as outputs × inputs; MatMul wants inputs × outputs."""
        weight = self.constant(f"{name}.weight", self.weights[f"{name}.weight"].T)
        return self.node("MatMul", [hidden, weight], output)

    def attend(self, hidden: str, name: str, weight: NDArray[np.float32], bias: str, mask: str, output: str) -> str:
        """Self-attention with the weights of its three projections side by side."""
        inputs = [hidden, self.constant(name, weight), bias, mask]
        return self.node("Attention", inputs, output, FUSED, num_heads=HEADS)

    def to_bytes(self) -> bytes:
        shape = ["texts", "tokens"]
        return onnx_file.model(
            nodes=self._nodes,
            constants=self._constants,
            inputs=[onnx_file.tensor_info(name, "int64", shape) for name in ("input_ids", "attention_mask")],
            outputs=[
                onnx_file.tensor_info("sentence_embedding", "float32", ["texts", HIDDEN]),
                onnx_file.tensor_info("token_embeddings", "float32", ["texts", "tokens", HIDDEN]),
            ],
            operators={"": 17, FUSED: 1},
        )


class _Int8Graph(_Graph):
    """The same with int8 weights; what they are multiplied with is quantised by its own range while the graph runs."""

    def __init__(self, weights: Weights) -> None:
        super().__init__(weights)
        self._quantised: set[str] = set()

    def look_up(self, name: str, ids: str, output: str) -> str:
        quantised, scale, zero = _by_range(self.weights[name])
        gathered = self.node("Gather", [self.constant(f"{name}.quantised", quantised), ids], f"{output}.quantised")
        inputs = [gathered, self.constant(f"{name}.scale", scale), self.constant(f"{name}.zero", zero)]
        return self.node("DequantizeLinear", inputs, output)

    def multiply(self, hidden: str, name: str, output: str) -> str:
        quantised, scale, zero = self._columns(f"{name}.weight", self.weights[f"{name}.weight"].T)
        values, own_scale, own_zero = self._activations(hidden)
        product = self.node("MatMulInteger", [values, quantised, own_zero, zero], f"{output}.integer")
        plain = self.node("Cast", [product], f"{output}.float", to=FLOAT)
        both = self.node("Mul", [own_scale, scale], f"{output}.scale")
        return self.node("Mul", [plain, both], output)

    def attend(self, hidden: str, name: str, weight: NDArray[np.float32], bias: str, mask: str, output: str) -> str:
        quantised, scale, zero = self._columns(name, weight)
        values, own_scale, own_zero = self._activations(hidden)
        inputs = [values, quantised, bias, own_scale, scale, mask, own_zero, zero]
        return self.node("QAttention", inputs, output, FUSED, num_heads=HEADS)

    def _columns(self, name: str, weight: NDArray[np.float32]) -> tuple[str, str, str]:
        quantised, scale = _by_column(weight)
        zero = self.constant(f"{name}.zero", np.zeros(len(scale), np.int8))
        return self.constant(f"{name}.quantised", quantised), self.constant(f"{name}.scale", scale), zero

    def _activations(self, hidden: str) -> tuple[str, str, str]:
        names = (f"{hidden}.quantised", f"{hidden}.scale", f"{hidden}.zero")
        if hidden not in self._quantised:
            self._quantised.add(hidden)
            self._nodes.append(onnx_file.node("DynamicQuantizeLinear", [hidden], names, ""))
        return names


def _by_column(weight: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Whole numbers from -127 to 127, and what one of them is worth in each column; zero stays zero."""
    widest = np.abs(weight).max(axis=0)
    scale = (2 * widest.astype(np.float64) / 254).astype(np.float32)
    return np.clip((weight / scale).round(), -128, 127).astype(np.int8), scale


def _by_range(weight: NDArray[np.float32]) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.uint8]]:
    """Whole numbers from 0 to 255, what one of them is worth, and which of them stands for zero."""
    least, most = min(weight.min(), np.float32(0)), max(weight.max(), np.float32(0))
    exact = (np.float64(most) - np.float64(least)) / 255
    scale, zero = np.array(exact, np.float32), np.array(np.round(-least / exact), np.uint8)
    return np.clip((weight / scale).round() + zero, 0, 255).astype(np.uint8), scale, zero


def _embeddings(graph: _Graph) -> str:
    """Word + position + segment, normalised. There is one segment, so its vector is folded into the positions."""
    graph.constant(
        "positions",
        graph.weights["embeddings.position_embeddings.weight"]
        + graph.weights["embeddings.token_type_embeddings.weight"][0],
    )
    for index in (0, 1, 2):
        graph.constant(f"index_{index}", np.array([index], np.int64))
    words = graph.look_up("embeddings.word_embeddings.weight", "input_ids", "words")
    shape = graph.node("Shape", ["input_ids"], "shape")
    length = graph.node("Slice", [shape, "index_1", "index_2", "index_0"], "length")
    positions = graph.node("Slice", ["positions", "index_0", length, "index_0"], "positions_seen")
    summed = graph.node("Add", [words, positions], "embeddings")
    norm = [graph.weight("embeddings.LayerNorm.weight"), graph.weight("embeddings.LayerNorm.bias")]
    return graph.node("LayerNormalization", [summed, *norm], "hidden", epsilon=EPSILON, axis=-1)


def _attention(graph: _Graph, layer: int, hidden: str, mask: str) -> str:
    """Self-attention over the unmasked tokens, its output layer, the residual and their normalisation."""
    prefix = f"encoder.layer.{layer}.attention"
    projections = [f"{prefix}.self.{projection}" for projection in ("query", "key", "value")]
    weight = np.concatenate([graph.weights[f"{name}.weight"].T for name in projections], axis=1)
    bias = np.concatenate([graph.weights[f"{name}.bias"] for name in projections])
    biases = graph.constant(f"{prefix}.qkv.bias", bias)
    attended = graph.attend(hidden, f"{prefix}.qkv", weight, biases, mask, f"{prefix}.self")
    return _output(graph, f"{prefix}.output", attended, hidden)


def _feed_forward(graph: _Graph, layer: int, hidden: str) -> str:
    """Two linear layers with an exact GELU between them, the residual and their normalisation."""
    prefix = f"encoder.layer.{layer}"
    dense = f"{prefix}.intermediate.dense"
    widened = graph.multiply(hidden, dense, dense)
    activated = graph.node("BiasGelu", [widened, graph.weight(f"{dense}.bias")], f"{prefix}.intermediate", FUSED)
    return _output(graph, f"{prefix}.output", activated, hidden)


def _output(graph: _Graph, prefix: str, inner: str, residual: str) -> str:
    """The end of each half of a layer: normalise(linear(inner) + residual)."""
    linear = graph.multiply(inner, f"{prefix}.dense", f"{prefix}.dense")
    norm = [graph.weight(f"{prefix}.LayerNorm.{parameter}") for parameter in ("weight", "bias")]
    inputs = [linear, residual, *norm, graph.weight(f"{prefix}.dense.bias")]
    return graph.node("SkipLayerNormalization", inputs, f"{prefix}.normalised", FUSED, epsilon=EPSILON)


def _mean_pooling(graph: _Graph, hidden: str) -> str:
    """A text's vector is the mean of its unmasked tokens, at length 1."""
    mask = graph.node("Cast", ["attention_mask"], "float_mask", to=FLOAT)
    column = graph.node("Unsqueeze", [mask, "index_2"], "mask_column")
    masked = graph.node("Mul", [hidden, column], "masked")
    total = graph.node("ReduceSum", [masked, "index_1"], "total", keepdims=0)
    count = graph.node("ReduceSum", [mask, "index_1"], "count", keepdims=1)
    mean = graph.node("Div", [total, count], "mean")
    return graph.node("LpNormalization", [mean], "sentence_embedding", axis=-1, p=2)


def _remove_leftovers(target: Path) -> None:
    """Delete the folders of killed builds; a younger one may belong to a running build."""
    for folder in target.parent.glob(f"{target.name}.*"):
        with suppress(FileNotFoundError):  # another process was faster
            if time.time() - folder.stat().st_mtime > LEFTOVER_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
