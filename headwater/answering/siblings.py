"""Documents that differ in a word of their titles, such as the Standard and the Plus edition of one plan (ANS-4).

Belongs here: which of them a question does not mean. Not here: which documents were found, how blocks are scored
(`scoring`). Guarantee: pure; a question that names none of them, or all, leaves all in.
"""

from collections.abc import Sequence
from uuid import UUID

from headwater.domain.search import Passage
from headwater.understanding.words import content_words

_ALIKE = 0.5  # the share of the words of two titles that both have; editions of one document share more


def others_meant(question: str, passages: Sequence[Passage]) -> set[UUID]:
    """The ids of the documents whose sibling the question names by a word that only the sibling's title has."""
    titles = {one.document_id: content_words(one.title, one.language) for one in passages}
    asked = set().union(*(content_words(question, language) for language in {one.language for one in passages}))
    found = set()
    for document, own in titles.items():
        siblings = [other for key, other in titles.items() if key != document and _are_siblings(own, other)]
        if any((asked & other) - own and not (asked & own) - other for other in siblings):
            found.add(document)
    return found


def _are_siblings(one: set[str], other: set[str]) -> bool:
    return one != other and len(one & other) >= _ALIKE * len(one | other)
