"""The network of all-MiniLM-L6-v2, written as an ONNX graph and quantised to int8.

Belongs here: the arithmetic of the network and its quantisation. Not here: finding the weights, running the graph
(`minilm`). Guarantee: the target file appears whole or not at all, however many processes build it at once.

Sources: BERT (https://arxiv.org/abs/1810.04805); the model's card and configuration, mean pooling included
(https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2); the fused operators
(https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
"""

import logging
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto, TensorProto

GRAPH_VERSION = 1
"""Increase it with every change here that changes vectors."""

LAYERS = 6
HEADS = 12
HIDDEN = 384
EPSILON = 1e-12
"""All values are from the model's config.json."""

LAST_LAYER = f"encoder.layer.{LAYERS - 1}.output.normalised"
"""The output with the tokens' vectors before they are averaged."""

FLOAT, INT32, INT64 = 1, 6, 7
"""Element types, as numbered in onnx.proto."""

FUSED = "com.microsoft"
"""Domain of the operators that onnxruntime computes in one step instead of a dozen."""

LEFTOVER_SECONDS = 600
"""The age from which the folder of an unfinished build is assumed to be left by a killed one; a build takes seconds."""

Weights = Mapping[str, NDArray[np.float32]]


def build_int8(weights: Path, target: Path) -> None:
    """Write the quantised graph to a file, in about 3 seconds.

    Args:
        weights: the model's safetensors file.
        target: the ONNX file to write or replace; its folder must exist.
    """
    import onnx

    _remove_leftovers(target)
    # All work happens in a temporary folder beside the target, so that the last step is a rename.
    with tempfile.TemporaryDirectory(prefix=f"{target.name}.", dir=target.parent) as folder:
        exact, quantised = Path(folder, "exact.onnx"), Path(folder, "int8.onnx")
        onnx.save(build_graph(_read_weights(weights)), exact)
        with _quiet_quantiser():
            _quantise(exact, quantised)
        quantised.replace(target)


def build_graph(weights: Weights) -> "ModelProto":
    """Build the network with exact (float32) weights.

    Args:
        weights: the model's tensors under their names in the safetensors file.

    Returns:
        The graph: `input_ids` and `attention_mask` (texts × tokens) in, `sentence_embedding` (texts × 384) out.
    """
    graph = _Graph(weights)
    mask = graph.node("Cast", ["attention_mask"], "mask", to=INT32)
    hidden = _embeddings(graph)
    for layer in range(LAYERS):
        hidden = _attention(graph, layer, hidden, mask)
        hidden = _feed_forward(graph, layer, hidden)
    _mean_pooling(graph, hidden)
    return graph.to_model()


class _Graph:
    """Nodes and constants, collected in order; every method returns the name of what it added."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self._nodes: list[NodeProto] = []
        self._constants: list[TensorProto] = []

    def constant(self, name: str, values: NDArray[Any]) -> str:
        from onnx import numpy_helper

        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def weight(self, name: str) -> str:
        return self.constant(name, self.weights[name])

    def transposed_weight(self, name: str) -> str:
        """Transpose: PyTorch stores a linear layer as outputs × inputs; MatMul needs inputs × outputs."""
        return self.constant(name, self.weights[name].T)

    def node(self, operator: str, inputs: Sequence[str], output: str, domain: str = "", **attributes: float) -> str:
        from onnx import helper

        self._nodes.append(helper.make_node(operator, inputs, [output], domain=domain, **attributes))
        return output

    def to_model(self) -> "ModelProto":
        from onnx import helper

        shape = ["texts", "tokens"]
        inputs = [helper.make_tensor_value_info(name, INT64, shape) for name in ("input_ids", "attention_mask")]
        outputs = [helper.make_tensor_value_info("sentence_embedding", FLOAT, ["texts", HIDDEN])]
        return helper.make_model(
            helper.make_graph(self._nodes, "all-MiniLM-L6-v2", inputs, outputs, self._constants),
            opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(FUSED, 1)],
            ir_version=9,
            producer_name="headwater",
        )


def _embeddings(graph: _Graph) -> str:
    """Word + position + segment, normalised. There is one segment, so its vector is folded into the positions."""
    graph.constant(
        "positions",
        graph.weights["embeddings.position_embeddings.weight"]
        + graph.weights["embeddings.token_type_embeddings.weight"][0],
    )
    for number in (0, 1, 2):
        graph.constant(f"index_{number}", np.array([number], np.int64))
    words = graph.node("Gather", [graph.weight("embeddings.word_embeddings.weight"), "input_ids"], "words")
    shape = graph.node("Shape", ["input_ids"], "shape")
    length = graph.node("Slice", [shape, "index_1", "index_2", "index_0"], "length")
    positions = graph.node("Slice", ["positions", "index_0", length, "index_0"], "positions_seen")
    summed = graph.node("Add", [words, positions], "embeddings")
    norm = [graph.weight("embeddings.LayerNorm.weight"), graph.weight("embeddings.LayerNorm.bias")]
    return graph.node("LayerNormalization", [summed, *norm], "hidden", epsilon=EPSILON, axis=-1)


def _attention(graph: _Graph, layer: int, hidden: str, mask: str) -> str:
    """Self-attention over the unmasked tokens, its output layer, the residual and their normalisation."""
    prefix = f"encoder.layer.{layer}.attention"
    projections = [f"{prefix}.self.{part}" for part in ("query", "key", "value")]
    weight = np.concatenate([graph.weights[f"{name}.weight"].T for name in projections], axis=1)
    bias = np.concatenate([graph.weights[f"{name}.bias"] for name in projections])
    inputs = [hidden, graph.constant(f"{prefix}.qkv.weight", weight), graph.constant(f"{prefix}.qkv.bias", bias), mask]
    attended = graph.node("Attention", inputs, f"{prefix}.self", FUSED, num_heads=HEADS)
    return _output(graph, f"{prefix}.output", attended, hidden)


def _feed_forward(graph: _Graph, layer: int, hidden: str) -> str:
    """Two linear layers with an exact GELU between them, the residual and their normalisation."""
    prefix = f"encoder.layer.{layer}"
    dense = f"{prefix}.intermediate.dense"
    widened = graph.node("MatMul", [hidden, graph.transposed_weight(f"{dense}.weight")], dense)
    activated = graph.node("BiasGelu", [widened, graph.weight(f"{dense}.bias")], f"{prefix}.intermediate", FUSED)
    return _output(graph, f"{prefix}.output", activated, hidden)


def _output(graph: _Graph, prefix: str, inner: str, residual: str) -> str:
    """The end of each half of a layer: normalise(linear(inner) + residual)."""
    linear = graph.node("MatMul", [inner, graph.transposed_weight(f"{prefix}.dense.weight")], f"{prefix}.dense")
    norm = [graph.weight(f"{prefix}.LayerNorm.{part}") for part in ("weight", "bias")]
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


def _quantise(exact: Path, quantised: Path) -> None:
    """Store weights as int8 with a scale per column; activations are quantised while running."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(
        exact,
        quantised,
        weight_type=QuantType.QInt8,
        per_channel=True,
        op_types_to_quantize=["MatMul", "Attention", "Gather"],
        # Shape inference does not know the fused operators, so it cannot tell that their outputs are floats.
        extra_options={"DefaultTensorType": FLOAT},
    )


@contextmanager
def _quiet_quantiser() -> Iterator[None]:
    """Drop the quantiser's log lines: steps meant for its authors, and advice to fuse operators, which is done.

    It logs to the root logger, and `logging.info` permanently adds a handler that writes to stderr to a root logger
    without handlers. Hence the handler here, which does nothing.
    """
    root, placeholder = logging.getLogger(), logging.NullHandler()

    def is_from_elsewhere(record: logging.LogRecord) -> bool:
        return "onnxruntime" not in Path(record.pathname).parts

    root.addHandler(placeholder)
    root.addFilter(is_from_elsewhere)
    try:
        yield
    finally:
        root.removeFilter(is_from_elsewhere)
        root.removeHandler(placeholder)


def _remove_leftovers(target: Path) -> None:
    """Delete the folders of killed builds; a younger one may belong to a running build."""
    for folder in target.parent.glob(f"{target.name}.*"):
        with suppress(FileNotFoundError):  # another process was faster
            if time.time() - folder.stat().st_mtime > LEFTOVER_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)


def _read_weights(path: Path) -> Weights:
    from safetensors.numpy import load_file

    tensors = load_file(path)
    return {name: tensor.astype(np.float32, copy=False) for name, tensor in tensors.items() if tensor.dtype.kind == "f"}
