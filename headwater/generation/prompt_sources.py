"""The sources that a chat model is given.

Belongs here: a source with its number, heading and text, made of a context's parts or of quotes; how many fit. Not
here: choosing passages (`headwater.retrieval`) or quotes (`headwater.quote`), the messages (`prompt_messages`).
Guarantee: pure; numbers count from 1; what supports a statement is verbatim text of a source's passages.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from headwater.domain.search import Passage
from headwater.lexical.token_estimate import estimate_tokens
from headwater.quote.breadcrumbs import breadcrumb_at
from headwater.quote.quotes import Quote
from headwater.retrieval.context import Context

_BOLD = re.compile(
    r"(?P<code>^[ \t]*(?P<fence>`{3,})[^\n]*\n[\s\S]*?^[ \t]*(?P=fence)|`[^`\n]+`)"
    r"|\*\*(?=\S)(?P<words>(?:`[^`\n]+`|[^`\n])+?)(?<=\S)\*\*",
    re.MULTILINE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class PromptSource:
    """A numbered text; `passages` are the verbatim texts that it was made of, cut to what the model sees."""

    number: int
    heading: str
    text: str
    passages: tuple[Passage, ...]

    @property
    def token_count(self) -> int:
        """The estimate for heading and text."""
        return estimate_tokens(self.heading) + estimate_tokens(self.text) + 4


def sources_of_context(context: Context) -> tuple[PromptSource, ...]:
    """Make sources of whole passages."""
    return tuple(
        PromptSource(number=entry.number, heading=_path(entry.passages[0]), text=entry.text, passages=entry.passages)
        for entry in context.parts
    )


def sources_of_quotes(
    quotes: Sequence[Quote], token_limit: int | None = None, passages: Iterable[Passage] = ()
) -> tuple[PromptSource, ...]:
    """Make sources of quotes, as many as fit; of several, the first one always does.

    Args:
        quotes: the best first.
        token_limit: None without a limit.
        passages: the chunks around the quotes: a long quote is of several.
    """
    around = list(passages)
    sources: list[PromptSource] = []
    spent = 0
    for position, quote in enumerate(quotes, start=1):
        source = _of_quote(position, quote, around)
        spent += source.token_count
        if sources and token_limit is not None and spent > token_limit:
            break
        sources.append(source)
    return tuple(sources)


def _find_quoted_passages(quote: Quote, around: Iterable[Passage]) -> tuple[Passage, ...]:
    """The passages that a quote is of, in order, each cut to what no other one before it has of the quote."""
    version = quote.passage.document_version_id
    passages: list[Passage] = []
    position = quote.start
    for passage in sorted({quote.passage.start: quote.passage, **_of_version(around, version)}.items()):
        start, end = max(position, passage[1].start), min(quote.end, passage[1].end)
        if start < end:
            passages.append(_cut(passage[1], start, end))
            position = end
    return tuple(passages) or (quote.passage,)


def _of_version(passages: Iterable[Passage], version: UUID) -> dict[int, Passage]:
    """The passages of a document version, by their offsets."""
    return {passage.start: passage for passage in passages if passage.document_version_id == version}


def _cut(passage: Passage, start: int, end: int) -> Passage:
    """A part of a passage, by offsets in the document version."""
    offset = start - passage.start
    line = passage.line + passage.text.count("\n", 0, offset)
    text, breadcrumb = passage.text[offset : end - passage.start], breadcrumb_at(passage, offset)
    return replace(passage, text=text, start=start, end=end, line=line, breadcrumb=breadcrumb)


def _of_quote(number: int, quote: Quote, around: Iterable[Passage]) -> PromptSource:
    return PromptSource(
        number=number,
        heading=_join_headings(quote.headings or _headings(quote.passage)),
        text=_BOLD.sub(lambda match: match["code"] or match["words"], quote.text),  # the bold is ours
        passages=_find_quoted_passages(quote, around),
    )


def _path(passage: Passage) -> str:
    return _join_headings((*_headings(passage), passage.table_header))  # a model needs its columns to read the rows


def _headings(passage: Passage) -> tuple[str, ...]:
    title = passage.title or passage.uri
    breadcrumb = passage.breadcrumb
    return (title, *(breadcrumb[1:] if breadcrumb[:1] == (title,) else breadcrumb))


def _join_headings(headings: Iterable[str]) -> str:
    return " > ".join(filter(None, (" ".join(heading.split()) for heading in headings)))
