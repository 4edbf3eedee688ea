"""Asking the reference without a model.

Belongs here: the blocks and vectors that `plain_quotes` needs, and its attempts. Not here: which quotes are best
(`plain_quotes`). Guarantee: it gets the same passages as the plain script; the first quote is judged, and two more are
shown.
"""

import re
from collections.abc import Iterator

from bench.exam.attempts import Attempt, Cited, Stopwatch
from bench.exam.plain_quotes import Idf, inverse_frequency, pick_quotes, quoted, render
from bench.exam.plain_script import find_passages
from bench.exam.questions import Question
from cli.environment import Environment
from headwater.domain.corpus import KnowledgeBase
from headwater.store.store import Store

_QUOTE_COUNT = 3
_BLANK_LINES_PATTERN = re.compile(r"\n\s*\n")


class QuoteReference:
    """Answers with plain quotes; reads the words of a knowledge base once."""

    def __init__(self, env: Environment) -> None:
        self._env = env
        self._idf_by_slug: dict[str, Idf] = {}

    def ask(self, knowledge_base: KnowledgeBase, question: Question) -> Attempt:
        """Search, and quote what was found.

        Raises:
            HeadwaterError: the search failed.
        """
        idf = self._idf(knowledge_base.slug)
        stopwatch = Stopwatch()
        found = find_passages(self._env, knowledge_base, question)
        if found.embedder is None:
            return Attempt(is_refusal=True, seconds=stopwatch.seconds)
        quotes = pick_quotes(question.question, found.passages, found.embedder.embed, idf)[:_QUOTE_COUNT]
        text = quoted(quotes)
        stopwatch.hear(text)
        return Attempt(
            text=text,
            quote=render(quotes[0]) if quotes else "",
            is_refusal=not quotes,
            cited=tuple(Cited(uri=quote.passage.uri, texts=(quote.passage.text,)) for quote in quotes),
            first_text_seconds=stopwatch.first_text_seconds,
            seconds=stopwatch.seconds,
        )

    def _idf(self, slug: str) -> Idf:
        if slug not in self._idf_by_slug:
            self._idf_by_slug[slug] = inverse_frequency(_blocks(self._env.store, slug))
        return self._idf_by_slug[slug]


def _blocks(store: Store, slug: str) -> Iterator[str]:
    """The texts between blank lines, of all documents."""
    for source in store.sources.all(slug):
        for document in store.exports.documents(source):
            yield from _BLANK_LINES_PATTERN.split(document.text)
