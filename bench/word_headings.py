"""How many headings of Word files are found by their look, measured by files whose styles say what the headings are.

Belongs here: hiding the styles, and comparing. Not here: other formats, how long reading takes (`parse_time`).
Guarantee: one line for each file with at least four headings of styles, and one for all; recall is the share of these
headings that is found, precision the share of what is found that styles call a heading (many others look like one and
are one), order the share of neighbours whose levels rise, fall or stay as those of the styles do.

    python -m bench.word_headings FILE …
"""

import sys
from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

from docx import Document

from headwater.errors import DocumentError
from headwater.parsing.office.docx import read_parts
from headwater.parsing.office.docx_lines import read_lines
from headwater.parsing.office.docx_styles import Styles
from headwater.parsing.office.line_headings import LineHeadings, TextLine
from headwater.parsing.office.package import open_package
from headwater.parsing.parser import File

_MIN_HEADINGS = 4


def _hide_styles(lines: list[TextLine]) -> Iterator[TextLine]:
    for line in lines:
        yield line._replace(level=0)


def _measure(path: Path) -> Counter[str]:
    package = open_package(File(content=path.read_bytes(), uri=path.name), suffix=".docx")
    document: Any = Document(BytesIO(package.content))
    styles = Styles(read_parts(document.part).get("styles"))
    lines = [line for line in read_lines(document.element.body, styles) if line.text]
    levels = {line.element: line.level for line in lines if line.level}
    if len(levels) < _MIN_HEADINGS:
        return Counter()
    has_title = any(styles.of(line.element).is_title for line in lines if line.size)
    headings = LineHeadings(_hide_styles(lines), has_title=has_title)
    seen_levels = {line.element: level for line in lines if (level := headings.level(line.element))}
    common = [line.element for line in lines if line.element in levels and line.element in seen_levels]
    return Counter(
        files=1,
        headings=len(levels),
        lines=len(seen_levels),
        both=len(common),
        neighbours=max(len(common) - 1, 0),
        in_order=sum(_direction(levels, pair) == _direction(seen_levels, pair) for pair in pairwise(common)),
    )


def _direction(levels: dict[Any, int], pair: tuple[Any, Any]) -> int:
    first, second = levels[pair[0]], levels[pair[1]]
    return (second > first) - (second < first)


def _line(name: str, counts: Counter[str]) -> str:
    recall, precision, order = (
        counts[share] / max(counts[total], 1)
        for share, total in (("both", "headings"), ("both", "lines"), ("in_order", "neighbours"))
    )
    return f"{name}: {counts['headings']} headings, recall {recall:.3f}, precision {precision:.3f}, order {order:.3f}"


def main() -> None:
    """Measure the files that are named."""
    totals: Counter[str] = Counter()
    for argument in sys.argv[1:]:
        try:
            counts = _measure(Path(argument))
        except (DocumentError, KeyError, ValueError) as error:
            print(f"{argument}: {error}", flush=True)
            continue
        if counts:
            print(_line(argument, counts), flush=True)
        totals.update(counts)
    print(_line(f"{totals['files']} files", totals))


if __name__ == "__main__":
    main()
