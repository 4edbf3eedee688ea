"""What changed, as a list in an answer (SUM-4).

Belongs here: what is said of each version or date. Not here: which ones are meant (`headwater.retrieval.changes`),
other answers to broad questions (`broad_answers`). Guarantee: every line has a citation, and the documents' words.
"""

import re
from collections.abc import Iterator, Sequence

from headwater.answering.answer_summaries import (
    SummaryWriting,
    cut_words,
    first_sentence,
    plain_text,
    plain_title,
    summary_title,
)
from headwater.answering.events import Delta, Event
from headwater.parsing.markdown.headings import UNDERLINED_HEADING
from headwater.quote.citation import cite_part
from headwater.quote.inline_cleanup import clean_inline
from headwater.retrieval.changes import Change, Changes

_OF_LINE, _OF_TITLE = 18, 5  # words of an item, and of a document's title
_MAX_CHANGES = 24
_MAX_ITEMS = 6  # of a version's lists, each
_ITEM_MARK = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+")
_IS_PERSON = re.compile(r"(?:\S+ |(?=[^\W\d_a-z])\S+(?: \S+){0,3} (?=[^\W\d_a-z])\S+ )?\(@[\w-]+\)|@[\w-]+")
_HEADING = re.compile(UNDERLINED_HEADING, re.MULTILINE)
_LINK_LINE = re.compile(  # such as "([full changelog](…))"
    r"[(\s]*\[[^\[\]]*(?:change ?log|all changes|compare|comparison|diff|commits)[^\[\]]*\]\([^()\s]*\)[)\s.]*",
    re.IGNORECASE,
)
_IS_THANKS = re.compile(
    r"(?:(?:all|our|new|the|special|first-time) )*(?:contributors|contributions|thanks|credits|acknowledge?ments)"
    r"(?: (?:to|of|for|in) (?:this|the|all|our)\b[\w ]{0,30})?",
    re.IGNORECASE,
)
_MAX_LABEL_WORDS = 3
_NO_CHANGE = ("#", "{", "<", ":::")  # what lines begin with that say nothing


def list_changes(changes: Changes, *, words: int) -> Iterator[Event]:
    """Yield what is later than asked for, by version or date, or that nothing is.

    Args:
        changes: the latest first.
        words: about how many words there is room for.
    """
    since = plain_title(changes.since.text)
    if changes.later and changes.since.scope == "latest":
        lead = f"The newest that these documents name is {plain_title(changes.later[0].name)}"
    elif changes.later and changes.since.scope == "all":
        lead = "The newest versions that these documents name are"
    elif changes.later and changes.since.scope in ("in", "released"):
        lead = f"About {since}, these documents say"
    else:
        lead = f"Later than {since}, these documents name"
    if not changes.later:
        yield from _list_renewed(changes, since)
        return
    later = list(filter(_describe_change, changes.later)) or list(changes.later)
    if changes.since.scope in ("since", "all", "released"):
        later = _take_first(later)
    listed_changes = _within(later, words)
    yield Delta(text=f"{lead}:\n")
    items = 1 if changes.since.scope == "released" else _count_items(len(listed_changes), words)
    descriptions: dict[tuple[str, str], Change] = {}  # a section may say again what another one says
    for change in listed_changes:
        description = _describe_change(change, items=items) or _describe_nothing(change)
        descriptions.setdefault((change.name, description), change)
    previous_name = ""
    for position, ((name, text), change) in enumerate(descriptions.items(), start=1):
        yield Delta(text="; " if name == previous_name else f"\n- **{plain_title(name)}**: ")
        previous_name, marker = name, f"[{position}]"
        yield Delta(text=f"{cut_words(_without_marks(text), items * _OF_LINE)} {marker}")
        yield cite_part(change.passage, marker, change.start, change.end, score=1.0)
    if len(later) > len(listed_changes):
        yield Delta(text=f"\n\nand {len(later) - len(listed_changes):,} more.")


def _without_marks(text: str) -> str:
    """The words of an item: what is cut off behind them may close a mark."""
    return plain_text(clean_inline(text)).replace("**", "")


def _list_renewed(changes: Changes, since: str) -> Iterator[Event]:
    """The documents that were changed since a date, or that nothing is known to be."""
    writing = SummaryWriting()
    if not changes.renewed:
        newest = f" The newest is {plain_title(changes.newest)}." if changes.newest else ""
        unit = "date" if changes.since.day else "version"
        yield Delta(text=f"No heading or mark in these documents names a {unit} after {since}.{newest}")
        return
    yield Delta(text=f"These documents were written or changed since {since}:\n")
    for summary, day in changes.renewed:
        yield Delta(text=f"\n- {day.isoformat()}: {cut_words(summary_title(summary), _OF_TITLE)} ")
        yield from writing.cite(summary)


def _count_items(changes: int, words: int) -> int:
    """How many items of each change's list there is room for."""
    return max(1, min(_MAX_ITEMS, words // (_OF_LINE * max(1, changes))))


def _describe_change(change: Change, *, items: int = 1) -> str:
    """What a heading's section begins with, and the first items of its list; or what a mark is about.

    It is empty if the section says nothing, or that there is none, or does nothing but thank people.
    """
    if not change.is_heading:
        return change.subject
    if _IS_THANKS.fullmatch(change.subject):
        return ""
    lines = _read_lines(change)
    if not any(map(str.strip, lines)):
        return ""
    list_items = _read_items(lines)
    said_text = " ".join(list_items) or " ".join(lines)
    if said_text.strip(" .").casefold() == "none" or (list_items and all(map(_IS_PERSON.fullmatch, list_items))):
        return ""
    opening = [line for line in lines if line.strip()][:2]
    if list_items and any(_ITEM_MARK.match(line.lstrip()) for line in opening):
        return "; ".join(list_items[:items])
    sentence = first_sentence("\n".join(lines).strip())
    return " ".join(filter(None, [sentence, "; ".join(list_items[: items - 1])])) or change.subject


def _describe_nothing(change: Change) -> str:
    """The words of a section that says that there is none, or thanks people."""
    lines = _read_lines(change)
    return next(iter(_read_items(lines)), "") or first_sentence("\n".join(lines).strip()) or change.subject


def _take_first(changes: Sequence[Change]) -> list[Change]:
    """Of each version of a document, the first section; marks in a text are all taken."""
    first: dict[tuple[str, ...], Change] = {}
    for change in changes:
        place = "" if change.is_heading else change.subject
        first.setdefault((change.name, change.passage.uri, place), change)
    return list(first.values())


def _read_lines(change: Change) -> list[str]:
    """The lines of a section that say something, with the blank ones between them."""
    lines = _HEADING.sub("", change.text).splitlines()
    return [line for line in lines if not line.startswith(_NO_CHANGE) and not _LINK_LINE.fullmatch(line)]


def _read_items(lines: Sequence[str]) -> list[str]:
    """The items of the lists in some lines, each in one line; of lists within them, those below a label.

    A label says what its items are about, as "Bug fixing" does; it may stand before the lines.
    """
    items: list[str] = []
    label, nested_items = "", list[tuple[int, str]]()
    for indent, text in [*_split_items(lines), (0, "")]:
        if indent:
            nested_items.append((indent, text))
            continue
        least_indent = min((depth for depth, _ in nested_items), default=0)
        children = [nested_text for depth, nested_text in nested_items if depth == least_indent]
        if len(label.split()) > _MAX_LABEL_WORDS or not children:
            items += [label] * bool(label)
        else:
            items += [f"{label}: {children[0]}"] if label and len(children) == 1 else children
        label, nested_items = text, []
    return items


def _split_items(lines: Sequence[str]) -> list[tuple[int, str]]:
    """Each item in one line, and how far it is indented."""
    items: list[tuple[int, list[str]]] = []
    is_open = False
    for line in lines:
        text = line.expandtabs(4).lstrip()
        if match := _ITEM_MARK.match(text):
            items.append((len(line.expandtabs(4)) - len(text), [text[match.end() :]]))
            is_open = True
        elif not text:
            is_open = False
        elif is_open:
            items[-1][1].append(text)
    return [(indent, " ".join(" ".join(item_lines).split())) for indent, item_lines in items]


def _within(changes: Sequence[Change], limit: int) -> Sequence[Change]:
    """As many as there is room for, by words."""
    words = 0
    for index, change in enumerate(changes[:_MAX_CHANGES]):
        words += min(_OF_LINE, len(_describe_change(change).split()))
        if words > limit and index:
            return changes[:index]
    return changes[:_MAX_CHANGES]
