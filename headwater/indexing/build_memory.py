"""How much memory Postgres may use to build the HNSW graph of a large search index.

Belongs here: what a graph needs, and what this machine can give. Not here: building (`headwater.store`). Guarantee: no
more than a quarter of the memory that is free, and nothing is written.

Source: pgvector builds a graph in `maintenance_work_mem`, and several times more slowly once it does not fit
(https://github.com/pgvector/pgvector#index-build-time). docs/scaling.md has figures.
"""

from pathlib import Path

OTHER_SERVER = 512 * 2**20
"""Of a server whose memory we do not know; it has more if its own `maintenance_work_mem` says so."""
_MIN_BYTES = 64 * 2**20  # Postgres's default
_BYTES_PER_NUMBER, _BYTES_PER_ENTRY = 2, 620
"""Half-precision numbers, and an entry's links with m = 12: measured with pgvector 0.8 it is 588."""
_SHARE = 4  # several indexes may be built at once, and searches need the rest
_LIMIT = Path("/sys/fs/cgroup/memory.max")  # of a container


def build_memory(entries: int, dimensions: int, *, is_own_server: bool) -> int:
    """The bytes that building an index may take.

    Args:
        entries: how many vectors it has.
        dimensions: of a vector.
        is_own_server: whether Postgres runs on this machine, and is ours alone.
    """
    if not is_own_server:
        return OTHER_SERVER
    needed = entries * (_BYTES_PER_NUMBER * dimensions + _BYTES_PER_ENTRY)
    return max(_MIN_BYTES, min(needed, free_memory() // _SHARE))


def free_memory() -> int:
    """The bytes that are free on this machine, or in this container if it may have less."""
    import psutil

    free = psutil.virtual_memory().available
    try:
        return min(free, int(_LIMIT.read_text(encoding="ascii")))
    except (OSError, ValueError):  # no container, or one without a limit ("max")
        return int(free)
