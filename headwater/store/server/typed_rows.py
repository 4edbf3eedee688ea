"""Turning rows into typed objects.

Belongs here: making an object from a row. Not here: the classes (`headwater.domain`, or next to the module that reads
them). Guarantee: a field without a column is an error, never a default.
"""

from typing import Any, ClassVar, Protocol, TypeVar

from headwater.store.server.query_session import Row


class _Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Any]]


T = TypeVar("T", bound=_Dataclass)


def from_row(noun: type[T], row: Row, **more: Any) -> T:
    """Make an object from a row: each field is the column with its name, an array becomes a tuple.

    Args:
        noun: a dataclass.
        row: the row; it may have more columns.
        more: fields that are not simply one column.
    """
    values = {name: row[name] for name in noun.__dataclass_fields__ if name not in more}
    return noun(**{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}, **more)
