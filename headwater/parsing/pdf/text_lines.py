"""Making lines of the pieces that a page draws.

Belongs here: which pieces stand on one line, where words end, raised and lowered characters, text drawn twice. Not
here: the order of lines (`reading_order`). Guarantee: pieces that are far apart stay apart, because they may belong to
different columns; a list's bullet or number stays with its text.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median

from headwater.parsing.pdf.characters import ACCENTS, RAISED, is_wide, plain
from headwater.parsing.pdf.shapes import Line, TextRun

_APART = 0.7  # of the size
_SAME_LINE = 0.3  # of the size: how far baselines on one line may differ
_ACCENT, _LETTER = 0.5, 0.8  # of the size: how far up an accent is moved, and how wide a letter is, at most
_SMALL = 0.85  # of its neighbour's size: may be raised or lowered
_MONO, _CHANGES = 0.75, 4  # of the characters of a line of code; how often its font changes, as before a comment
_DOUBLED = 0.2  # of the size: the same text this near is drawn twice to look bold
BULLET = "[•·▪*‣◦–—→✓✔☐☑☒-]"
_MARKER = re.compile(rf"(?:{BULLET}|[(\[]?(?:\d{{1,3}}|[A-Za-z]|[ivxIVX]{{1,5}})[.)\]])$")
_NUMBER = re.compile(r"(?:\d{1,2}(?:\.\d{1,3}){0,4}|[A-Z](?:\.\d{1,2}){1,4})$")
_LEADER = re.compile(r"(?:[.·…_]\s?){3,}$")
_DOT_ROW = 10.0  # points
_IN_MARKER, _IN_NUMBER, _IN_LEADER, _IN_CODE = 5.0, 3.0, 4.0, 40.0  # gaps in sizes that do not part


def lines_of(runs: Sequence[TextRun], page: int) -> list[Line]:
    """The lines of one page, or the parts of lines that stand apart, from top to bottom.

    Args:
        runs: pieces with one turn.
        page: the number of their page.
    """
    rows: list[list[TextRun]] = []
    limit = base = 0.0
    for run in sorted(_level_runs(_with_accents(_once(runs))), key=lambda run: run.base):
        if rows and run.base - base <= min(limit, _SAME_LINE * run.size):
            rows[-1].append(run)
        else:
            rows.append([run])
            base, limit = run.base, _SAME_LINE * run.size
    return [line for row in rows for line in _parts(row, page)]


def with_bullets(lines: Sequence[Line], dots: Sequence[tuple[float, float]]) -> None:
    """Add the bullets to lines that a program drew as shapes."""
    rows: dict[int, list[tuple[float, float]]] = {}
    for x, y in dots:
        rows.setdefault(int(y // _DOT_ROW), []).append((x, y))
    for line in lines:
        middle = line.base - 0.3 * line.size
        row = int(middle // _DOT_ROW)
        near_dots = [dot for row_number in (row - 1, row, row + 1) for dot in rows.get(row_number, ())]
        for x, y in near_dots:
            if abs(y - middle) < 0.3 * line.size and 0.2 * line.size < line.left - x < 2.5 * line.size:
                line.text, line.left = f"• {line.text}", x
                break


def _once(runs: Iterable[TextRun]) -> Iterable[TextRun]:
    """Runs without those that draw the same text at the same place again."""
    drawn: dict[str, tuple[float, float]] = {}
    for run in runs:
        left, base = drawn.get(run.text, (-1e9, 0.0))
        tolerance = _DOUBLED * run.size
        if abs(run.left - left) < tolerance and abs(run.base - base) < tolerance:
            continue
        drawn[run.text] = run.left, run.base
        yield run


def _with_accents(runs: Iterable[TextRun]) -> list[TextRun]:
    """Runs with accents joined to their letters: LaTeX draws an accent above the first letter of a run beside it."""
    joined: list[TextRun] = []
    accent: TextRun | None = None
    for run in runs:
        if accent is not None and _is_above(accent, run):
            joined.append(run._replace(text=accent.text + run.text))
            accent = None
            continue
        joined += [accent] if accent is not None else []
        accent = None
        if run.text not in ACCENTS:
            joined.append(run)
        elif joined and _is_above(run, joined[-1]):
            joined[-1] = joined[-1]._replace(text=run.text + joined[-1].text)
        else:
            accent = run
    return joined + ([accent] if accent is not None else [])


def _is_above(accent: TextRun, run: TextRun) -> bool:
    """Whether an accent stands on the first letter of a run."""
    middle = (accent.left + accent.right) / 2
    is_over = run.left < middle < run.left + _LETTER * run.size
    return is_over and run.text[:1].isalpha() and abs(run.base - accent.base) < _ACCENT * run.size


def _level_runs(runs: Iterable[TextRun]) -> list[TextRun]:
    """Runs with raised and lowered characters, such as footnote marks, moved to the line of their neighbour."""
    level_runs = list(runs)
    for index, run in enumerate(level_runs):
        for neighbour in (*level_runs[max(0, index - 1) : index], *level_runs[index + 1 : index + 2]):
            if _is_beside(run, neighbour):
                is_mark = run.base < neighbour.base and run.text.strip().isdigit()
                text = run.text.translate(RAISED) if is_mark else run.text
                level_runs[index] = run._replace(base=neighbour.base, text=text, size=neighbour.size)
                break
    return level_runs


def _is_beside(run: TextRun, neighbour: TextRun) -> bool:
    away = abs(run.base - neighbour.base)
    if not (run.size < _SMALL * neighbour.size and 0.05 * neighbour.size < away < 0.65 * neighbour.size):
        return False
    gap = max(run.left - neighbour.right, neighbour.left - run.right)
    return -0.3 * neighbour.size < gap < 0.4 * neighbour.size and len(run.text) < 20


def _parts(row: list[TextRun], page: int) -> list[Line]:
    row.sort(key=lambda run: run.left)
    spread = _letter_spacing(row)
    groups: list[list[TextRun]] = [[row[0]]]
    for run in row[1:]:
        if run.left - max(last.right for last in groups[-1][-3:]) > _limit(groups[-1], run):
            groups.append([run])
        else:
            groups[-1].append(run)
    lines = [line for group in groups if (line := _line(group, page, spread))]
    return _with_leaders(lines)


def _letter_spacing(row: Sequence[TextRun]) -> float:
    """The usual gap between letters that are drawn one by one, in sizes; 0 if they are not."""
    single = [run for run in row if len(run.text) == 1]
    if len(row) < 6 or len(single) < 0.8 * len(row):
        return 0.0
    return max(0.0, median((b.left - a.right) / a.size for a, b in pairwise(single)))


def _limit(part: Sequence[TextRun], run: TextRun) -> float:
    """How far a run may be from the part of a line before it."""
    size = max(part[-1].size, run.size)
    if part[-1].face.is_mono and run.face.is_mono:
        return _IN_CODE * size * 0.6
    text = plain("".join(earlier.text for earlier in part)).strip() if len(part) < 8 else ""  # bullets have many signs
    if _MARKER.match(text):
        return _IN_MARKER * size
    return (_IN_NUMBER if _NUMBER.match(text) and run.text[:1].isalpha() else _APART) * size


def _line(part: Sequence[TextRun], page: int, spread: float) -> Line | None:
    pieces: list[str] = []
    right = part[0].left
    is_code = all(run.face.is_mono for run in part if run.text.strip())
    for run in part:
        gap = run.left - right
        if pieces and run.face.is_mono:
            width = (run.right - run.left) / max(1, len(run.text))
            # LaTeX's listings moves letters within words; names within text have the gaps of text
            is_apart = width > 0 and gap > (0.5 * width if is_code else run.size * run.face.word_gap)
            pieces.append(" " * max(1, round(gap / width)) if is_apart else "")
        elif pieces and gap > run.size * (max(run.face.word_gap, 2 * spread + 0.05) if spread else run.face.word_gap):
            pieces.append(" ")
        pieces.append(run.text)
        right = max(right, run.right)
    text = "".join(pieces)
    if not text.strip():
        return None
    return _make_line(text, part, right, page)


def _make_line(text: str, part: Sequence[TextRun], right: float, page: int) -> Line:
    visible = [run for run in part if run.text.strip()] or list(part)
    widest = max(visible, key=lambda run: len(run.text))
    characters = sum(len(run.text) for run in visible)
    changes = sum(a.face.is_mono != b.face.is_mono for a, b in pairwise(visible))
    share_of_mono = sum(len(run.text) for run in visible if run.face.is_mono) / max(1, characters)
    is_wide_text = 2 * sum(map(is_wide, text)) > len(text)  # all fonts of Chinese and Japanese have one width
    mono = share_of_mono >= _MONO and changes <= _CHANGES and not is_wide_text  # a list of names has text between
    left, blanks = part[0].left, len(text) - len(text.lstrip())
    if blanks:
        left += blanks * (0.25 * widest.size if not mono else (right - left) / len(text))
    text = plain(text, is_code=mono)
    text = text.strip() if mono else " ".join(text.split())
    end = text.find(" ")
    share = (end if end > 0 else len(text)) / max(1, len(text))
    bold = sum(len(run.text) for run in visible if run.is_bold)
    return Line(
        text=text,
        left=left,
        right=max(left, visible[-1].right),
        base=widest.base,
        size=_size(visible),
        is_bold=bold >= 0.9 * characters,
        is_mono=mono,
        order=min(run.order for run in part),
        page=page,
        first_word=share * (right - left),
    )


def _size(runs: Sequence[TextRun]) -> float:
    """The size of most characters."""
    weights: dict[float, int] = {}
    for run in runs:
        weights[run.size] = weights.get(run.size, 0) + len(run.text)
    return max(weights, key=lambda size: weights[size])


def _with_leaders(lines: Sequence[Line]) -> list[Line]:
    """Parts of a line with those joined that dots lead to, as in a table of contents."""
    joined: list[Line] = []
    for line in lines:
        previous = joined[-1] if joined else None
        is_near = previous is not None and line.left - previous.right < _IN_LEADER * line.size
        if previous is not None and is_near and (_LEADER.search(previous.text) or _LEADER.match(line.text)):
            previous.text = f"{previous.text} {line.text}"
            previous.right = line.right
        else:
            joined.append(line)
    return joined
