"""Words into lexemes, by Postgres's dictionaries.

Belongs here: asking for stems and stop words, and remembering them. Not here: cutting text (`headwater.lexical`).
Guarantee: an entry's words and a question's meet: both go through the same dictionary.
"""

import threading
from collections.abc import Collection, Iterable

from headwater.lexical.tokens import Tokens
from headwater.store.database import Session

_REMEMBERED = 300_000  # words per language; then all are forgotten
_known: dict[str, dict[str, str | None]] = {}
_lock = threading.Lock()


def dictionary(language: str) -> str:
    """The name of Postgres's dictionary of a language; `simple` has neither stems nor stop words."""
    return "simple" if language == "simple" else f"{language}_stem"


def lexemes(session: Session, language: str, texts: Collection[Tokens]) -> list[list[str]]:
    """Return the lexemes of each text; stop words have none.

    Args:
        session: any transaction.
        language: a knowledge base's.
        texts: as `headwater.lexical.tokens` cuts them.
    """
    stems = _stems(session, language, {word for tokens in texts for word in tokens.words})
    return [[*_stemmed(stems, tokens.words), *tokens.exact] for tokens in texts]


def _stemmed(stems: dict[str, str | None], words: Iterable[str]) -> Iterable[str]:
    return (stem for word in words if (stem := stems[word]))


def _stems(session: Session, language: str, words: set[str]) -> dict[str, str | None]:
    with _lock:
        known = _known.get(language, {})
    missing = list(words - known.keys())
    if missing:
        rows = session.rows("lexemes", dictionary=dictionary(language), words=missing)
        known = {**known, **{row["word"]: row["lexeme"] for row in rows}}
        with _lock:
            _known[language] = known if len(known) <= _REMEMBERED else {}
    return known
