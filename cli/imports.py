"""Importing much at once.

Belongs here: what makes that cheaper. Not here: what is imported. Guarantee: afterwards garbage is looked for as ever.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def many_imports() -> Iterator[None]:
    """Import for a block without looking for garbage.

    There is none, since what is imported stays; looking for it takes a fifth of the time that Dagster's import takes.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
