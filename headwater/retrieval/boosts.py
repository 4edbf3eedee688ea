"""A knowledge base's own ranking rules, and what a conversation has spoken of (RET-4, RET-6).

Belongs here: which of them apply to a passage, and its new score. Not here: the form of rules
(`headwater.domain.knowledge_base_settings`). Guarantee: pure; if no rule applies, order and scores stay.
"""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from headwater.domain.documents import ChunkKind
from headwater.domain.knowledge_base_settings import Boost
from headwater.domain.pictures import is_picture
from headwater.domain.search import Passage
from headwater.retrieval.fusion import rank_passages

SPOKEN_OF = 1.3
"""The factor for documents that the last answer cites, while a turn is read as one that follows it.

Of the turns of `bench/conversations.json` that were looked at, 1.6 cites as many right documents, 1 two fewer.
"""

_PICTURE_FACTOR = 0.25
"""The factor for words read from a picture: a screenshot repeats the words of a page, and explains none of them.

Of 40 questions about two programs whose documentation has 181 screenshots, 1 quotes a screenshot first in 8, none of
them an answer, .5 in 3, and .25 in none, with an answer from the text in 6 of the 8.
"""


_OTHER_KIND_FACTOR = 0.5
"""Where code and documentation are found together: the factor for code, or for documentation if a question asks for
code; and for tests in both cases: they repeat the words of what they test, and explain nothing.

docs/benchmarks.md, "Whole repositories", has figures.
"""
_TEST = re.compile(r"(?:^|/)(?:tests?|specs?|__tests__)/|(?:^|/)test_[^/]*$|[._](?:test|spec)\.\w+$", re.IGNORECASE)


def apply_boosts(
    passages: Sequence[Passage],
    boosts: Sequence[Boost],
    tags: Mapping[str, Collection[str]] | None = None,
    *,
    asks_for_code: bool = False,
) -> list[Passage]:
    """Multiply the scores of passages by the factors of the rules that apply to them, and by those of their kind.

    Args:
        passages: best first; their scores are 0 or more.
        boosts: the rules; if several apply, their factors are multiplied.
        tags: the tags of each source, by its slug; only needed for rules that name a tag.
        asks_for_code: whether the question does: then documentation beside code counts less, and else code.

    Returns:
        The passages with `scores.boost`, in their new order and ranked from 1.
    """
    is_mixed = len({passage.kind == ChunkKind.CODE for passage in passages}) > 1
    boosted = []
    for passage in passages:
        source_tags = (tags or {}).get(passage.source, ())
        factor = math.prod(boost.factor for boost in boosts if _applies(boost, passage, source_tags))
        if is_picture(passage.uri):
            factor *= _PICTURE_FACTOR
        is_code = passage.kind == ChunkKind.CODE
        if is_mixed and (is_code != asks_for_code or is_test(passage)):
            factor *= _OTHER_KIND_FACTOR
        scores = replace(passage.scores, boost=factor)
        boosted.append(replace(passage, score=passage.score * factor, scores=scores))
    return rank_passages(boosted)


def is_test(passage: Passage) -> bool:
    """Whether a passage is of the code of a test, by its path."""
    return passage.kind == ChunkKind.CODE and _TEST.search(passage.uri) is not None


def favour(passages: Sequence[Passage], documents: Collection[UUID]) -> list[Passage]:
    """Multiply the scores of passages of some documents by `SPOKEN_OF`.

    Args:
        passages: best first; their scores are 0 or more.
        documents: the ids of the documents that the last answer of the conversation cites.
    """
    favoured = []
    for passage in passages:
        factor = SPOKEN_OF if passage.document_id in documents else 1.0
        scores = replace(passage.scores, boost=passage.scores.boost * factor)
        favoured.append(replace(passage, score=passage.score * factor, scores=scores))
    return rank_passages(favoured)


def _applies(boost: Boost, passage: Passage, tags: Collection[str]) -> bool:
    """Whether all conditions of a rule match a passage."""
    return (
        (boost.uri is None or _is_uri(boost.uri, passage.uri))
        and (boost.category is None or _is_under(boost.category, passage.category))
        and (boost.source is None or boost.source == passage.source)
        and (boost.tag is None or boost.tag in tags)
        and (boost.title is None or boost.title.casefold() in passage.title.casefold())
    )


def _is_uri(wanted: str, uri: str) -> bool:
    return uri.startswith(wanted[:-1]) if wanted.endswith("*") else uri == wanted


def _is_under(wanted: str, category: str) -> bool:
    path = wanted.strip("/")
    return category == path or category.startswith(f"{path}/")
