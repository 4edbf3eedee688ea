"""Whether Postgres has the memory that the search indexes need.

Belongs here: comparing its settings with the indexes and with this machine. Not here: reading them
(`headwater.store.server.health`), the memory of one build (`headwater.indexing.build_memory`). Guarantee: it changes
nothing; of a server elsewhere it claims nothing about the machine.

Searches walk all over a vector index, so it should stay in `shared_buffers`; a graph that does not fit into
`maintenance_work_mem` is built several times more slowly. docs/benchmarks.md has figures.
"""

from collections.abc import Iterator

from headwater.indexing.build_memory import OTHER_SERVER
from headwater.store.server.health import MemoryFacts

_MEGABYTE = 2**20
_BUFFER_SHARE = 4  # of the memory of the machine; Postgres's manual advises a quarter
_MIN_WORK_MEMORY = 4 * _MEGABYTE  # Postgres's default
_WORK_SHARE = 2  # of the memory of the machine that all connections together may take for sorting


def advise_memory(facts: MemoryFacts, memory: int | None) -> Iterator[str]:
    """What is too small or too large, as sentences that say what to set.

    Args:
        facts: the settings of the server, and the size of its vector indexes.
        memory: the bytes of the machine that the server runs on; None if it is not this one.
    """
    limit = facts.vector_index_bytes if memory is None else memory // _BUFFER_SHARE
    needed = min(facts.vector_index_bytes, limit)
    if facts.shared_buffers < needed:
        unless = "" if memory is not None else " if the server has four times as much memory"
        yield (
            f"shared_buffers is {_show(facts.shared_buffers)}, and the vector indexes take"
            f" {_show(facts.vector_index_bytes)}: searches read them anew. Set shared_buffers ="
            f" {_show(needed)}{unless}, and restart the server."
        )
    build = max(facts.maintenance_work_mem, OTHER_SERVER)
    if memory is None and facts.largest_index_bytes > build:
        yield (
            f"An index is built in {_show(build)}, and the largest one takes {_show(facts.largest_index_bytes)}:"
            f" building it takes several times as long. Set maintenance_work_mem = {_show(facts.largest_index_bytes)}."
        )
    if facts.work_mem < _MIN_WORK_MEMORY:
        yield f"work_mem is {facts.work_mem // 1024} kB: searches sort on the disk. Set work_mem = 4MB or more."
    if memory is not None and facts.work_mem * facts.max_connections > memory // _WORK_SHARE:
        most = max(_MIN_WORK_MEMORY, memory // _WORK_SHARE // facts.max_connections)
        yield (
            f"work_mem is {_show(facts.work_mem)} for each of {facts.max_connections} connections: more than half of"
            f" the machine's {_show(memory)}. Set work_mem = {_show(most)} or less."
        )


def describe_memory(facts: MemoryFacts) -> str:
    """The settings and what they hold, in a line."""
    return (
        f"shared_buffers {_show(facts.shared_buffers)}, maintenance_work_mem {_show(facts.maintenance_work_mem)},"
        f" work_mem {_show(facts.work_mem)}; vector indexes take {_show(facts.vector_index_bytes)}"
    )


def _show(size: int) -> str:
    """As Postgres takes it; rounded up, so that what is set is enough."""
    return f"{-(-size // _MEGABYTE)}MB"
