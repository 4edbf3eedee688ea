"""The files that measurements read stand beside them, under the names that the programs have."""

import re
from pathlib import Path

import pytest

from headwater.settings import REPOSITORY

_NAMED = re.compile(r'Path\(__file__\)\.(with_name|with_suffix)\("([^"]+)"\)')


def _named_files() -> list[Path]:
    return [
        getattr(path, method)(name)
        for path in sorted((REPOSITORY / "bench").rglob("*.py"))
        for method, name in _NAMED.findall(path.read_text(encoding="utf-8"))
    ]


@pytest.mark.parametrize("path", _named_files(), ids=lambda path: path.name)
def test_a_file_of_a_measurement_exists(path: Path) -> None:
    """Nothing else notices when either is renamed, because nobody runs a measurement in between."""
    assert path.is_file()
