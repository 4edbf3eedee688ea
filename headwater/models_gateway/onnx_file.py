"""ONNX files, written field by field.

Belongs here: the few protocol buffer messages of the ONNX format that a graph needs. Not here: any graph
(`encoder_graph`). Guarantee: pure, and the same bytes for the same graph; the package `onnx`, which takes 30 MB with
its dependencies, is not needed.

The field numbers and types come from https://github.com/onnx/onnx/blob/main/onnx/onnx.proto, the wire format from
https://protobuf.dev/programming-guides/encoding/.
"""

import struct
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

ELEMENT_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7}
_VARINT, _BYTES, _FIXED32 = 0, 2, 5
_FLOAT_ATTRIBUTE, _INT_ATTRIBUTE = 1, 2


def node(operator: str, inputs: Sequence[str], outputs: Sequence[str], domain: str, **attributes: float) -> bytes:
    """A NodeProto."""
    return b"".join(
        (
            *(_text(1, name) for name in inputs),
            *(_text(2, name) for name in outputs),
            _text(4, operator),
            *(_message(5, _attribute(name, value)) for name, value in attributes.items()),
            _text(7, domain),
        )
    )


def tensor(name: str, values: NDArray[Any]) -> bytes:
    """A TensorProto."""
    plain = np.ascontiguousarray(values) if values.ndim else values
    dims = b"".join(_number(1, size) for size in values.shape)
    little = plain.astype(plain.dtype.newbyteorder("<"), copy=False)
    return dims + _number(2, ELEMENT_TYPES[plain.dtype.name]) + _text(8, name) + _message(9, little.tobytes())


def tensor_info(name: str, element_type: str = "", shape: Sequence[int | str] = ()) -> bytes:
    """A ValueInfoProto: an input or output tensor; a dimension is a size, or a name if any size is allowed."""
    if not element_type:
        return _text(1, name)
    dims = b"".join(_message(1, _text(2, size) if isinstance(size, str) else _number(1, size)) for size in shape)
    kind = _number(1, ELEMENT_TYPES[element_type]) + _message(2, dims)
    return _text(1, name) + _message(2, _message(1, kind))


def model(
    *,
    nodes: Iterable[bytes],
    constants: Iterable[bytes],
    inputs: Iterable[bytes],
    outputs: Iterable[bytes],
    operators: dict[str, int],
) -> bytes:
    """A ModelProto.

    Args:
        nodes: as `node` makes them.
        constants: as `tensor` makes them.
        inputs: as `tensor_info` makes them.
        outputs: the same.
        operators: the version of each domain of operators.
    """
    graph = b"".join(
        (
            *(_message(1, encoded_node) for encoded_node in nodes),
            _text(2, "headwater"),
            *(_message(5, constant) for constant in constants),
            *(_message(11, encoded_input) for encoded_input in inputs),
            *(_message(12, output) for output in outputs),
        )
    )
    domains = (_message(8, _text(1, domain) + _number(2, version)) for domain, version in operators.items())
    return b"".join((_number(1, 9), _text(2, "headwater"), _message(7, graph), *domains))


def _attribute(name: str, value: float) -> bytes:
    if isinstance(value, int):
        return _text(1, name) + _number(3, value) + _number(20, _INT_ATTRIBUTE)
    return _text(1, name) + _varint(2 << 3 | _FIXED32) + struct.pack("<f", value) + _number(20, _FLOAT_ATTRIBUTE)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3 | _VARINT) + _varint(value & 0xFFFF_FFFF_FFFF_FFFF)


def _text(field: int, value: str) -> bytes:
    return _message(field, value.encode())


def _message(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | _BYTES) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*encoded, value))
