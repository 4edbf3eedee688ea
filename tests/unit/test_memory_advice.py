"""Whether Postgres has the memory that its indexes need (OPS-5)."""

from dataclasses import replace

import pytest

from headwater.administration.memory_advice import advise_memory, describe_memory
from headwater.store.server.health import MemoryFacts

MB = 2**20
WELL = MemoryFacts(
    shared_buffers=512 * MB,
    maintenance_work_mem=64 * MB,
    work_mem=4 * MB,
    max_connections=100,
    vector_index_bytes=300 * MB,
    largest_index_bytes=200 * MB,
)


@pytest.mark.parametrize("memory", [8_000 * MB, None])
def test_settings_that_fit_are_shown(memory: int | None) -> None:
    """With what they hold, on this machine and elsewhere."""
    assert list(advise_memory(WELL, memory)) == []
    assert describe_memory(WELL) == (
        "shared_buffers 512MB, maintenance_work_mem 64MB, work_mem 4MB; vector indexes take 300MB"
    )


@pytest.mark.parametrize(
    ("changed", "memory", "words"),
    [
        ({"vector_index_bytes": 900 * MB}, 8_000 * MB, "Set shared_buffers = 900MB, and restart"),
        ({"vector_index_bytes": 9_000 * MB}, 8_000 * MB, "Set shared_buffers = 2000MB, and restart"),
        ({"vector_index_bytes": 900 * MB}, None, "Set shared_buffers = 900MB if the server has four times"),
        ({"largest_index_bytes": 700 * MB}, None, "Set maintenance_work_mem = 700MB."),
        ({"work_mem": MB}, 8_000 * MB, "work_mem is 1024 kB"),
        ({"work_mem": 64 * MB}, 8_000 * MB, "Set work_mem = 40MB or less."),
    ],
)
def test_each_setting_is_compared_with_what_it_holds(changed: dict[str, int], memory: int | None, words: str) -> None:
    """And the sentence names the value to set."""
    [advice] = advise_memory(replace(WELL, **changed), memory)
    assert words in advice


@pytest.mark.parametrize(
    ("changed", "memory"),
    [
        ({"vector_index_bytes": 9_000 * MB, "shared_buffers": 2_000 * MB}, 8_000 * MB),  # no more than a quarter
        ({"largest_index_bytes": 700 * MB}, 8_000 * MB),  # our own server gets it while it builds
        ({"largest_index_bytes": 700 * MB, "maintenance_work_mem": 800 * MB}, None),
        ({"work_mem": 64 * MB}, None),  # nobody knows that machine
    ],
)
def test_nothing_is_advised_that_does_not_help(changed: dict[str, int], memory: int | None) -> None:
    """Nor what nobody here can know."""
    assert list(advise_memory(replace(WELL, **changed), memory)) == []
