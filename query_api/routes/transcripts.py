"""A conversation as markdown, for people.

Belongs here: the order of the turns, and how each is written. Not here: JSON (`routes.conversation_payloads`).
Guarantee: pure; every turn is there once, after the one that it follows, with its sources and their addresses; there is
no HTML, and of questions and titles no image.
"""

import re
from collections.abc import Iterable, Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

from headwater.domain.plurals import pluralize
from headwater.generation.statement_splitter import open_fence
from query_api.response_urls import UNSAFE
from query_api.routes.citation_payloads import CitedPayload
from query_api.routes.conversation_payloads import ConversationPayload, TurnPayload

_HEADING = 100  # characters of a question in a heading
_SPECIAL = re.compile(r"([\\`*_\[\]>#|])")
_ENTITIES = {ord("&"): "&amp;", ord("<"): "&lt;"}  # a backslash would not do: the one before it may be escaped
_HTML = ("html_block", "html_inline")
_OPENING = re.compile(r"<(?!(?:https?://|mailto:)[^\s<>]*>)")
_STATES = {
    "generating": "This answer is still being made.",
    "cancelled": "This answer was cancelled.",
    "interrupted": "This answer was interrupted.",
    "failed": "This answer failed.",
}


def transcript(conversation: ConversationPayload) -> str:
    """The conversation as a markdown document: a heading for each question, its answer, its sources."""
    created = conversation.created_at.strftime("%Y-%m-%d %H:%M %Z").strip()
    texts = [
        f"# {_plain(conversation.title) or 'Conversation'}",
        f"{conversation.knowledge_base}, {pluralize(conversation.turn_count, 'turn')}, begun {created}",
    ]
    numbers: dict[object, int] = {}
    last = None
    for position, turn in enumerate(_in_order(conversation.turns), start=1):
        siblings = [
            numbers[sibling.id]
            for sibling in conversation.turns
            if sibling.parent_id == turn.parent_id and sibling.id in numbers
        ]
        texts += _write_turn(
            turn, position, _branch(turn, numbers, siblings) if turn.parent_id != last or siblings else ""
        )
        numbers[turn.id] = position
        last = turn.id
    return "\n\n".join(texts) + "\n"


def _in_order(turns: list[TurnPayload]) -> Iterator[TurnPayload]:
    """Each turn, then all that follow it, before its next version."""
    following: dict[object, list[TurnPayload]] = {}
    for turn in turns:
        following.setdefault(turn.parent_id, []).append(turn)
    waiting = following.pop(None, [])[::-1]
    while waiting:
        turn = waiting.pop()
        yield turn
        waiting += following.pop(turn.id, [])[::-1]


def _branch(turn: TurnPayload, numbers: dict[object, int], siblings: list[int]) -> str:
    """Where a turn goes on that does not simply follow the one above it."""
    relation = "Begins anew" if turn.parent_id is None else f"Follows question {numbers[turn.parent_id]}"
    return f"*{relation}, instead of question {siblings[-1]}.*" if siblings else f"*{relation}.*"


def _write_turn(turn: TurnPayload, number: int, branch: str) -> Iterator[str]:
    line = " ".join(turn.question.split())
    yield f"## {number}. {_plain(line if len(line) <= _HEADING else line[: _HEADING - 1] + '…')}"
    if branch:
        yield branch
    if turn.question.strip() != line or len(line) > _HEADING:
        yield "\n".join(
            f"> {_harmless(question_line)}".rstrip() for question_line in turn.question.strip().splitlines()
        )
    if turn.search_text and turn.search_text != turn.question:
        yield f"*Searched for: {_plain(turn.search_text)}*"
    if turn.answer:
        yield without_html(_close_code(turn.answer.strip()))
    if turn.state != "done":
        yield f"*{_STATES[turn.state]}{f' {_plain(turn.error_detail)}' if turn.error_detail else ''}*"
    if turn.cited:
        yield "\n".join(["Sources:", "", *map(_source, turn.cited)])
    yield f"*{_cost(turn)}*"
    if turn.vote:
        yield f"*Voted {turn.vote}{f': {_plain(turn.comment)}' if turn.comment else ''}*"


def _cost(turn: TurnPayload) -> str:
    """The model, the time and the price of a turn."""
    tokens = turn.usage.get("prompt_tokens", 0) + turn.usage.get("completion_tokens", 0)
    cost = turn.usage.get("cost", 0.0)
    facts = [turn.model, f"{turn.timings_ms.get('total', 0.0) / 1000:.1f} s"]
    if tokens:
        facts += [pluralize(tokens, "token"), "price unknown" if cost is None else f"${cost:.4f}"]
    return _plain(", ".join(facts))


def _source(source: CitedPayload) -> str:
    """A line of the list of sources: its markers, what it is, where it is."""
    headings = " > ".join(source.breadcrumb)
    name = _plain(f"{source.title}: {headings}" if headings and headings != source.title else source.title)
    place = f", {_plain(source.place.label)}" if source.place and source.place.label else ""
    address = source.link or source.uri
    is_link = address.startswith(("https://", "http://"))
    link = f"<{address.translate(UNSAFE)}>" if is_link else _plain(address)
    return f"- {' '.join(source.markers)} {name}{place}: {link}"


def _close_code(text: str) -> str:
    """Markdown with its last block of code closed, which an answer that was cut leaves open."""
    fence = open_fence(text)
    return f"{text}\n{fence}" if fence else text


def without_html(markdown: str) -> str:
    """Markdown in which the tags of HTML are text; code stays as it is, except beside tags in one paragraph."""
    parser, lines = MarkdownIt("commonmark").enable("table"), markdown.split("\n")
    while spans := list(_html_spans(parser.parse("\n".join(lines)))):
        for start, end in spans:
            lines[start:end] = [_OPENING.sub("&lt;", line) for line in lines[start:end]]
    return "\n".join(lines)


def _html_spans(tokens: Iterable[Token]) -> Iterator[list[int]]:
    """The first and last lines of what has tags; a cell of a table has the lines of its row."""
    lines = [0, 0]
    for token in tokens:
        lines = token.map or lines
        if token.type in _HTML or any(child.type in _HTML for child in token.children or ()):
            yield lines


def _harmless(text: str) -> str:
    """Text of a person as it was written, but without HTML and images."""
    return text.translate(_ENTITIES).replace("![", "!\\[")


def _plain(text: str) -> str:
    """Text in one line, in which nothing is markdown."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()).translate(_ENTITIES))
