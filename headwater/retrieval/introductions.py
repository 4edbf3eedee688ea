"""The sentence that says what everything there is is about.

Belongs here: where such a sentence may stand, and how it reads. Not here: parts (`parts`), the answer
(`headwater.answering.broad_answers`). Guarantee: the sentence is verbatim text of a document; without one that defines
the knowledge base's name, or what the title of its only README names, there is none.

It stands in a document that is called like an introduction, or in a passage that a search for the name finds.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from uuid import UUID

from headwater.chunking.sentences import each_sentence
from headwater.domain.search import Passage
from headwater.domain.summaries import DocumentName, RankedSummary
from headwater.parsing.markdown.headings import plain_heading
from headwater.retrieval.finder import Finder
from headwater.retrieval.passage_places import load_places
from headwater.understanding.language_detector import detect_language
from headwater.understanding.question import understand
from headwater.understanding.words import content_words, words

_READ = 12  # documents that are called like introductions
_CHARS = 6_000  # of each document
_SHORT = 160  # characters: a longer one is taken only if there is no other
_WORDS = (5, 60)  # of such a sentence
_INTRODUCING = frozenset(
    ["readme", "index", "introduction", "intro", "about", "overview", "home", "welcome", "motivation"]
)
_KINDS = content_words("docs documentation handbook manual guide wiki help site website book articles knowledge base")
_IS = (
    r"(?:(?:is|are) (?:an?|the|our|your|one)|ist (?:ein|eine|der|die|das)|est (?:un|une|le|la)|es (?:un|una|el|la)|"
    r"è (?:un|una|il|la)|é (?:um|uma|o|a))\b"
)
_DEFINES = (
    rf"^(?:[^,.:]{{2,40}}, )?(?:the |our |this |die |der |das |la |le |el )?[*_`]*(?:\w+ )?(?:NAME)(?:s|[-.]\w+)?[*_`]*"
    r"(?: \([^()]{1,60}\))?"
    rf"(?: \w+){{0,3}}? (?:{_IS}|(?:provides?|helps?|lets|enables|allows|contains|describes|explains|establishes)\b)"
    r"|^with (?:NAME),? (?:you|we|users|people|teams) can\b"
)
_DEFINES_STRICTLY = rf"^(?:the )?[*_`]*(?:NAME)(?:s|\.\w+)?[*_`]*(?: \([^()]{{1,60}}\))? {_IS}"
_NAMED = re.compile(r"([^\W\d_][\w.+]*)(?:$|\s*[—–:|,]|\s+-\s)")
_NOT_FIRST = re.compile(r"(?:when|if|while|where|how|once|because|since|after|before|unless)\b", re.IGNORECASE)
_ALSO = re.compile(r"(?:\S+ ){0,4}also\b", re.IGNORECASE)  # what it is was said before
_NO_PROSE = re.compile(r"[#|>`\-+•<{!\[]|\d+[.)] |\* ")


@dataclass(frozen=True, kw_only=True, slots=True)
class Introduction:
    """A sentence of a passage, with its place in the document's text; the summary is the document's."""

    text: str
    document: RankedSummary
    passage: Passage
    start: int
    end: int


def is_introducing(name: DocumentName) -> bool:
    """Whether a document is called as those are that introduce others, such as README."""
    file_name = PurePosixPath(name.uri).name.casefold().lstrip("0123456789_-. ")
    return not _INTRODUCING.isdisjoint((PurePosixPath(file_name).stem, file_name.partition(".")[0]))


def find_introducing(names: Sequence[DocumentName]) -> DocumentName | None:
    """The document that introduces the others: a README, unless it is that of a part of its source."""
    shallow = sorted(filter(is_introducing, names), key=_depth)[:_READ]  # each is compared with all
    return next((name for name in shallow if _stands_above_most(name, names)), None)


def find_introduction(finder: Finder, names: Sequence[DocumentName], language: str = "") -> Introduction | None:
    """Find the sentence that says what the knowledge base's name stands for.

    Args:
        finder: of the search.
        names: of the documents, by source and URI.
        language: that of the question, which a sentence is preferred in; empty if unknown.
    """
    owner, store = finder.knowledge_base, finder.store.summary_entries
    called = list(dict.fromkeys(words(f"{owner.slug.replace('-', ' ')} {owner.name}")))
    name_words = [word for word in called if not content_words(word) & _KINDS]
    shallow = sorted(filter(is_introducing, names), key=lambda name: (_depth(name), name.uri))
    ids = [name.document_id for name in shallow[:_READ]]
    texts = store.texts(finder.index, ids, characters=_CHARS)
    is_only_one = bool(shallow) and all(_depth(name) > _depth(shallow[0]) for name in shallow[1:])
    own_names = {shallow[0].document_id: _own_name(shallow[0])} if is_only_one else {}
    places: list[tuple[UUID, str, int, int, Passage | None]] = [
        (id_, texts[id_][start:end], start, end, None)
        for id_ in ids
        for start, end in _defining(texts.get(id_, ""), [*called, *own_names.get(id_, ())], _DEFINES)
    ]
    if not places and name_words:
        understanding = understand(f"What is {' '.join(name_words)}?")
        for candidate in finder.find(understanding, finder.vector(understanding)).passages:
            for start, end in _defining(candidate.text, name_words, _DEFINES_STRICTLY):
                places.append(
                    (
                        candidate.document_id,
                        candidate.text[start:end],
                        candidate.start + start,
                        candidate.start + end,
                        candidate,
                    )
                )
    places.sort(key=lambda place: (_is_strange(place[1], language), len(plain_heading(place[1])) > _SHORT))
    for id_, sentence, start, end, known_passage in places:
        documents = store.of_documents(finder.index, [id_])
        passage = known_passage or store.passages_at(finder.index, id_, [start]).get(start)
        if documents and passage and _stands_there(sentence, start, passage):
            (passage,) = load_places(finder.store, [passage])
            return Introduction(text=sentence, document=documents[0], passage=passage, start=start, end=end)
    return None


def _is_strange(sentence: str, language: str) -> bool:
    """Whether a sentence is known to be in another language than the question."""
    return detect_language(sentence) not in ("", language) if language else False


def _stands_above_most(name: DocumentName, names: Sequence[DocumentName]) -> bool:
    """Whether most documents of its source stand in the folder of a document, or below it."""
    folder = name.uri[: name.uri.rfind("/") + 1]
    is_below = [document.uri.startswith(folder) for document in names if document.source == name.source]
    return 2 * sum(is_below) >= len(is_below)


def _depth(name: DocumentName) -> int:
    return len(PurePosixPath(name.uri).parts)


def _own_name(name: DocumentName) -> Sequence[str]:
    """What a document's title calls its subject, as in "Jujutsu – a version control system"."""
    match = _NAMED.match(name.title)
    if match is None or match[1].casefold() in _INTRODUCING or not content_words(match[1]) - _KINDS:
        return ()
    return (match[1],)


def _stands_there(sentence: str, start: int, passage: Passage) -> bool:
    """Whether a passage has a sentence at its place; not if another version was published since the text was read."""
    offset = start - passage.start
    said_text = passage.text[offset : offset + len(sentence)]
    return bool(said_text) and sentence.startswith(said_text)


def _defining(text: str, called: Sequence[str], form: str) -> Iterator[tuple[int, int]]:
    """The sentences of a text that define a name."""
    if not called:
        return
    rule = re.compile(form.replace("NAME", "|".join(map(re.escape, called))), re.IGNORECASE)
    for start, end in each_sentence(text):
        sentence = text[start:end].rstrip()
        if "\n\n" in sentence or not sentence.endswith((".", "!")):
            continue
        plain = plain_heading(sentence)
        is_prose = not (sentence.startswith("!") or _NO_PROSE.match(plain))
        if not is_prose or _NOT_FIRST.match(plain) or _ALSO.match(plain):
            continue
        if _WORDS[0] <= len(plain.split()) <= _WORDS[1] and rule.search(plain):
            yield start, start + len(sentence)
