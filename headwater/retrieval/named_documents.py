"""The source or document that a text names, such as a side of a comparison.

Belongs here: comparing the words of a text with those of titles, file names and sources. Not here: what a document is
about (`broad_summaries`). Guarantee: every word of the text is in the name.
"""

import re
from collections.abc import Sequence

from headwater.domain.summaries import NodeKind, RankedSummary
from headwater.retrieval.finder import Finder
from headwater.retrieval.members import MAX_NAMES, name_words
from headwater.understanding.words import content_words

_OWNER = re.compile(r"\b(?:of|in|for|from|von|de|del|di)\s+\S.*$", re.IGNORECASE)
_MAX_SOURCES = 12
_INTRODUCING = content_words("introduction overview readme index")


class NamedDocuments:
    """What the sources and documents of a search are called; the name of an image does not say what it shows."""

    def __init__(self, finder: Finder) -> None:
        store, filters = finder.store.summary_entries, finder.options.filters
        self._finder = finder
        self._documents = [
            (name, name_words(name))
            for name in store.names(finder.index, filters=filters, limit=MAX_NAMES)
            if not name.is_image
        ]
        self._unsaid_words = _INTRODUCING | finder.owner_words  # words that tell no document from another
        highest = store.highest(finder.index, filters=filters, limit=_MAX_SOURCES)
        self._sources = [summary for summary in highest if summary.kind is NodeKind.SOURCE]

    def find_side(self, side: str, sides: Sequence[str]) -> RankedSummary | None:
        """The same for a side of a comparison; "the app and the cli of the gateway" are both of the gateway."""
        owner_name = next(
            (match[0] for other_side in sides if other_side != side and (match := _OWNER.search(other_side))), ""
        )
        has_own = _OWNER.search(side) is not None
        return (self.find(f"{side} {owner_name}") if owner_name and not has_own else None) or self.find(side)

    def find(self, text: str) -> RankedSummary | None:
        """The source or document that a text names: all its words are in the name, and least is left of that."""
        wanted_words = _find_name_words(text)
        if not wanted_words:
            return None
        source = next(
            (source for source in self._sources if wanted_words <= content_words(source.source.replace("-", " "))), None
        )
        if source is not None:
            return source
        called = [(len(words - self._unsaid_words), name) for name, words in self._documents if wanted_words <= words]
        if not called:
            return None
        _, name = min(called, key=lambda pair: (pair[0], pair[1].uri))
        return next(iter(self._finder.store.summary_entries.of_documents(self._finder.index, [name.document_id])), None)


def _find_name_words(subject: str) -> set[str]:
    """The words of a name, without the kind of thing that it names."""
    words = content_words(subject)
    return words - content_words("document documentation file source page guide article tutorial") or words
