"""Underscores that a page draws as lines: LaTeX does so in fonts that have none (its encoding OT1).

Belongs here: which short lines are underscores. Not here: reading lines (`page_graphics`). Guarantee: a line that is
above, below or apart from text stays a line.
"""

from collections import defaultdict

from headwater.parsing.pdf.shapes import Page, Rule, TextRun

_NEAR = 0.15  # of the size: the gap between an underscore and its word
_BELOW, _ABOVE = 0.2, 0.08  # of the size: how far the line may be from the baseline
_WIDTH = 0.2, 0.7  # of the size
_ROW = 8  # points: neighbours are looked for in rows of this height


def add_underscores(page: Page) -> None:
    """Add a piece of text for each short line that continues a word on its baseline."""
    rows: dict[int, list[TextRun]] = defaultdict(list)
    for run in page.runs:
        if run.turn == 0:
            rows[int(run.base // _ROW)].append(run)
    for dash in sorted(page.dashes, key=lambda dash: dash.start):
        row = int(dash.at // _ROW)
        level_runs = [run for number in (row - 1, row, row + 1) for run in rows[number] if _is_level(run, dash)]
        word = next((run for run in level_runs if _is_beside(run, dash)), None)
        if word is not None and not any(_is_under(run, dash) for run in level_runs):
            underscore = word._replace(text="_", left=dash.start, right=dash.end)
            page.runs.append(underscore)
            rows[int(word.base // _ROW)].append(underscore)


def _is_under(run: TextRun, dash: Rule) -> bool:
    return run.left < dash.end - 0.5 and run.right > dash.start + 0.5


def _is_level(run: TextRun, dash: Rule) -> bool:
    is_of_size = _WIDTH[0] * run.size < dash.end - dash.start < _WIDTH[1] * run.size
    return is_of_size and -_BELOW * run.size < run.base - dash.at < _ABOVE * run.size


def _is_beside(run: TextRun, dash: Rule) -> bool:
    """Whether a word ends where the line begins, or begins where it ends."""
    before, after = dash.start - run.right, run.left - dash.end
    is_word_before = abs(before) < _NEAR * run.size and (run.text[-1:].isalnum() or run.text[-1:] == "_")
    return is_word_before or (abs(after) < _NEAR * run.size and run.text[:1].isalnum())
