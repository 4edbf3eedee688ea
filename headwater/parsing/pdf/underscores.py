"""Underscores that a page draws as lines: LaTeX does so in fonts that have none (its encoding OT1).

Belongs here: which short lines are underscores. Not here: reading lines (`page_graphics`). Guarantee: a line is one
only between two words on its level, so that fractions, fields and boxes stay lines; the work grows with the page.
"""

from collections import defaultdict

from headwater.parsing.pdf.shapes import Page, Rule, TextRun

_NEAR = 0.15  # of the size: the gap between an underscore and its word
_BELOW, _ABOVE = 0.2, 0.08  # of the size: how far the line may be from the baseline
_WIDTH = 0.2, 0.7  # of the size
_MOST = 50  # pieces of a square that are looked at
_CELL = 8  # points: neighbours are looked for in squares of this size

Cells = dict[tuple[int, int], list[TextRun]]


def add_underscores(page: Page) -> None:
    """Add a piece of text for each short line between two words on its baseline."""
    if not page.dashes:
        return
    begins: Cells = defaultdict(list)
    ends: Cells = defaultdict(list)
    for run in page.runs:
        if run.turn == 0 and run.text.strip():
            _add(run, begins, ends)
    for dash in sorted(page.dashes, key=lambda dash: dash.start):
        word = next((run for run in _near(ends, dash.start, dash) if _is_before(run, dash)), None)
        if word is not None and any(_is_after(run, dash) for run in _near(begins, dash.end, dash)):
            underscore = word._replace(text="_", left=dash.start, right=dash.end)
            page.runs.append(underscore)
            _add(underscore, begins, ends)


def _add(run: TextRun, begins: Cells, ends: Cells) -> None:
    row = int(run.base // _CELL)
    begins[row, int(run.left // _CELL)].append(run)
    ends[row, int(run.right // _CELL)].append(run)


def _near(cells: Cells, at: float, dash: Rule) -> list[TextRun]:
    row, column = int(dash.at // _CELL), int(at // _CELL)
    around = ((row + down, column + across) for down in (-1, 0, 1) for across in (-1, 0, 1))
    return [run for cell in around for run in cells.get(cell, ())[:_MOST] if _is_level(run, dash)]


def _is_level(run: TextRun, dash: Rule) -> bool:
    is_of_size = _WIDTH[0] * run.size < dash.end - dash.start < _WIDTH[1] * run.size
    return is_of_size and -_BELOW * run.size < run.base - dash.at < _ABOVE * run.size


def _is_before(run: TextRun, dash: Rule) -> bool:
    return abs(dash.start - run.right) < _NEAR * run.size and (run.text[-1:].isalnum() or run.text == "_")


def _is_after(run: TextRun, dash: Rule) -> bool:
    return abs(run.left - dash.end) < _NEAR * run.size and run.text[:1].isalnum()
