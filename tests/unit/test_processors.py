"""How many threads a model takes.

Belongs here: counting processors. Not here: the threads (`test_minilm`).
"""

from pathlib import Path

import pytest

from headwater.processors import count_processors


@pytest.mark.parametrize("limit", ["100000 100000", "50000 100000"])
def test_a_container_gets_the_threads_that_it_may_run(tmp_path: Path, limit: str) -> None:
    """More would only wait for each other, whatever the machine has."""
    limits = tmp_path / "cpu.max"
    limits.write_text(f"{limit}\n", encoding="ascii")
    assert count_processors(limits) == 1


@pytest.mark.parametrize("content", ["max 100000", "", "100000 nothing"])
def test_without_a_limit_every_processor_counts(tmp_path: Path, content: str) -> None:
    """A file that says nothing of use is as good as none."""
    limits = tmp_path / "cpu.max"
    limits.write_text(content, encoding="ascii")
    assert count_processors(limits) == count_processors(tmp_path / "none")
