"""Rows as objects: what leaves the store has a type.

Belongs here: making an object of a row. Not here: the nouns (`headwater.domain`, or beside the module that reads them).
Guarantee: a column that an object wants and a row lacks is an error, never a default.
"""

from typing import Any, ClassVar, Protocol, TypeVar

from headwater.store.server.database import Row


class _Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Any]]


T = TypeVar("T", bound=_Dataclass)


def typed(noun: type[T], row: Row, **more: Any) -> T:
    """Make an object of a row: each field is the column of its name, an array a tuple.

    Args:
        noun: a dataclass.
        row: the row; it may have further columns.
        more: fields that are not made of one column as it is.
    """
    own = {name: row[name] for name in noun.__dataclass_fields__ if name not in more}
    return noun(**{name: tuple(value) if isinstance(value, list) else value for name, value in own.items()}, **more)
