"""Faster imports of large packages.

Belongs here: making them cheaper. Not here: what is imported. Guarantee: afterwards garbage collection runs as before.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def many_imports() -> Iterator[None]:
    """Turn garbage collection off while a block imports.

    Imports leave no garbage, and looking for it takes a fifth of the time that importing Dagster takes.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
