"""An answer as messages.

Belongs here: the answer, its sources and what is said instead of it, in a platform's dialect and in as many messages as
it takes. Not here: posting them. Guarantee: no message is longer than the platform allows; at most `MAX_PAGES` hold
the answer, and then comes a link to the whole of it.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from integrations.chat_platform import MessagePage
from integrations.dialects import Dialect
from integrations.message_splitter import split

MAX_PAGES = 5
_MAX_SOURCES = 10
_LINE = 200  # characters of a further passage
_TITLE = 150  # characters
_ADDRESS = 1_000  # characters; a longer address is left out
_MORE = "…"


def split_partial_answer(dialect: Dialect, text: str) -> list[MessagePage]:
    """The text so far of an answer that is being written; none if there is no text yet."""
    if not text.strip():
        return []
    return _pack_sections(dialect, _sections(dialect, f"{text.rstrip()} {_MORE}"))[:MAX_PAGES]


def answer_pages(dialect: Dialect, answer: Mapping[str, Any], public_url: str) -> list[MessagePage]:
    """An answer with its sources and further passages, or a refusal with the closest ones.

    Args:
        dialect: how the platform writes.
        answer: the answer as the API sends it.
        public_url: the address at which people reach the API.
    """
    text = answer["answer"].strip() or "The documents do not answer this."
    pages = _pack_sections(dialect, _sections(dialect, text))
    appendix = []
    if len(pages) > MAX_PAGES:
        pages = pages[:MAX_PAGES]
        full_link = dialect.format_link(
            "Read the whole answer", f"{public_url}/kb/{answer['knowledge_base']}/lineage/{answer['id']}"
        )
        appendix.append(f"{_MORE} The answer has {len(text):,} characters. {full_link}.")
    appendix += [dialect.plain(note) for note in answer["notes"]]
    appendix += _list_sources(dialect, answer["cited"], public_url)
    appendix += _further(dialect, answer, public_url)
    *first, last = [*pages[:-1], *_pack_sections(dialect, [*pages[-1].sections, *appendix])]
    return [*first, MessagePage(sections=last.sections, vote_on=UUID(answer["id"]))]


def problem_pages(dialect: Dialect, detail: str, code: str, *, after: str = "") -> list[MessagePage]:
    """What is said instead of an answer, with its code; `after` is the text that had come."""
    message = " ".join(detail.split())[:1_000]
    words = dialect.escape(f"⚠️ {message} ({code})")
    so_far = split_partial_answer(dialect, after)[: MAX_PAGES - 1]
    return [*so_far, MessagePage(sections=(words,))]


def notice_page(dialect: Dialect, text: str) -> MessagePage:
    """A short text of the bot's own."""
    return MessagePage(sections=(dialect.convert(text),))


def _sections(dialect: Dialect, markdown: str) -> list[str]:
    texts = split(markdown, dialect.section_limit, lambda text: len(dialect.convert(text)))
    return [dialect.convert(text) for text in texts]


def _pack_sections(dialect: Dialect, sections: Sequence[str]) -> list[MessagePage]:
    """As many sections to a message as it can hold."""
    pages: list[list[str]] = []
    for section in sections:
        if pages and sum(len(packed) + 2 for packed in pages[-1]) + len(section) <= dialect.message_limit:
            pages[-1].append(section)
        else:
            pages.append([section])
    return [MessagePage(sections=tuple(page)) for page in pages]


def _list_sources(dialect: Dialect, cited: Sequence[Mapping[str, Any]], public_url: str) -> list[str]:
    """The sources, numbered as the answer's markers are, in sections of their own."""
    if not cited:
        return []
    lines = [f"{dialect.bold}Sources{dialect.bold}"]
    for citation in cited[:_MAX_SOURCES]:
        numbers = ", ".join(marker.strip("[]") for marker in citation["markers"])
        place = citation["place"]["label"] if citation["place"] else ""
        path = " › ".join([*citation["breadcrumb"][1:], *([place] if place else [])])[:_TITLE]
        label = dialect.format_link(
            citation["title"][:_TITLE] or citation["uri"][:_TITLE], _address(citation, public_url)
        )
        lines.append(f"{numbers}. {label}{' · ' + dialect.plain(path) if path else ''}")
    if len(cited) > _MAX_SOURCES:
        lines.append(f"and {len(cited) - _MAX_SOURCES} more")
    sections = [lines[0]]
    for line in lines[1:]:
        if len(sections[-1]) + len(line) < dialect.section_limit:
            sections[-1] += f"\n{line}"
        else:
            sections.append(line[: dialect.section_limit])
    return sections


def _further(dialect: Dialect, answer: Mapping[str, Any], public_url: str) -> list[str]:
    """The passages that the answer does not cite, a line each, in one section."""
    lines = []
    for passage in answer["further"]:
        label = dialect.format_link(passage["title"][:_TITLE] or passage["uri"][:_TITLE], _address(passage, public_url))
        place = (
            f" · {dialect.plain(passage['place']['label'])}" if passage["place"] and passage["place"]["label"] else ""
        )
        text = passage["line"] if len(passage["line"]) <= _LINE else f"{passage['line'][:_LINE].rstrip()} {_MORE}"
        lines.append(f"{label}{place}: {dialect.plain(text)}")
    if not lines:
        return []
    heading = "Closest" if answer["refused"] else "Further"
    section = "\n".join([f"{dialect.bold}{heading}{dialect.bold}", *lines])
    return [section] if len(section) <= dialect.section_limit else []


def _address(citation: Mapping[str, Any], public_url: str) -> str:
    address = citation["link"] or (f"{public_url}{citation['original']}" if citation["original"] else "")
    return address if len(address) <= _ADDRESS else ""
