"""Turning words into lexemes with Postgres's dictionaries.

Belongs here: asking for stems and stop words, and caching them. Not here: splitting text (`headwater.lexical`).
Guarantee: entries and questions use the same dictionary, so their words match.
"""

import threading
from collections.abc import Collection, Iterable, Iterator, Mapping

from headwater.lexical.accents import strip_accents
from headwater.lexical.bm25 import term_id
from headwater.lexical.tokens import Tokens, run_tokens
from headwater.store.server.query_session import Session

_MAX_CACHED_RUN_CHARS = 24  # characters of a run that is cached
_REMEMBERED = 300_000  # cached words per language; beyond that the cache is emptied
_known: dict[str, dict[str, str | None]] = {}
_known_runs: dict[str, dict[str, tuple[int, ...]]] = {}
_lock = threading.Lock()


def dictionary(language: str) -> str:
    """The name of Postgres's dictionary for a language; `simple` has neither stems nor stop words."""
    return "simple" if language == "simple" else f"{language}_stem"


def lexemes(session: Session, language: str, texts: Collection[Tokens]) -> list[list[str]]:
    """Return the lexemes of each text; stop words have none.

    A word with accents has a second lexeme, that of the word without them, if it is another one: people leave accents
    out of questions.

    Args:
        session: any transaction.
        language: the knowledge base's.
        texts: the results of `headwater.lexical.tokens`.
    """
    words = {word for tokens in texts for word in tokens.words}
    stems = _stems(session, language, words | set(map(strip_accents, words)))
    return [[*_apply_stems(stems, tokens.words), *tokens.exact] for tokens in texts]


def run_terms(session: Session, language: str, runs: set[str]) -> Mapping[str, tuple[int, ...]]:
    """Return the term numbers of each run, a term as often as it occurs; stop words have none.

    Args:
        session: any transaction.
        language: the knowledge base's.
        runs: the results of `headwater.lexical.tokens.runs`.

    Returns:
        By run; perhaps of other runs too.
    """
    with _lock:
        cached = _known_runs.get(language, {})
    missing = list(runs - cached.keys())
    if missing:
        term_lists = lexemes(session, language, [run_tokens(run) for run in missing])
        new_terms = {run: tuple(map(term_id, terms)) for run, terms in zip(missing, term_lists, strict=True)}
        # Long ones, such as clauses in scripts without spaces, hardly occur again.
        worth = {**cached, **{run: terms for run, terms in new_terms.items() if len(run) <= _MAX_CACHED_RUN_CHARS}}
        with _lock:
            _known_runs[language] = worth if len(worth) <= _REMEMBERED else {}
        return {**cached, **new_terms}
    return cached


def _apply_stems(stems: dict[str, str | None], words: Iterable[str]) -> Iterator[str]:
    for word in words:
        if stem := stems[word]:
            yield stem
            if not word.isascii() and (plain := stems[strip_accents(word)]) and plain != stem:
                yield plain


def _stems(session: Session, language: str, words: set[str]) -> dict[str, str | None]:
    with _lock:
        cached = _known.get(language, {})
    missing = list(words - cached.keys())
    if missing:
        rows = session.rows("lexemes", dictionary=dictionary(language), words=missing)
        cached = {**cached, **{row["word"]: row["lexeme"] for row in rows}}
        with _lock:
            _known[language] = cached if len(cached) <= _REMEMBERED else {}
    return cached
