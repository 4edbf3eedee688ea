"""The documents that a question wants listed or counted: a family of documents alike (SUM-4).

Belongs here: which documents are alike by where they stand and what they are called, and which of these families a
question means. Not here: the wording (`understanding.inventory`), the summaries of the members (`broad_summaries`).
Guarantee: a family is meant only if its name says all that the question says, or else if the question asks what is
documented, every member speaks of the rest, and the search found mostly members; otherwise the question is answered as
any other.

A family is a folder, with the own pages of the folders in it, or those documents of which the names share words. Its
name is made of the words of the folder, of the folder's own page, and of the words that most members' names have.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import PurePosixPath
from uuid import UUID

from headwater.domain.search import Passage
from headwater.domain.summaries import DocumentName
from headwater.lexical.accents import strip_accents
from headwater.retrieval.finder import Finder
from headwater.understanding.inventory import Inventory
from headwater.understanding.words import content_words, stem, words

MIN_MEMBERS = 3
"""How many documents make a family."""
MAX_NAMES = 50_000
"""How many documents are looked at."""
_SHARED = 0.6  # of the members' names have a word of the family's name
_SPEAKING = 0.5  # of the members speak of what the name does not say
_ALIKE = 0.8  # of the members' titles begin or end alike
_READ, _READ_CHARS = 60, 20_000  # members whose text is read, and how much of each: large ones would take seconds
_FORMATS = 3  # files of one name in one folder that are forms of one thing
_FOUND, _AMONG = 0.5, 8  # of the documents found first are members
_INDEX = ("index", "readme", "_index", "home", "overview", "toc")  # a folder's own page, the likeliest name first
_ENDING = re.compile(r"\.[a-z][a-z\d]{0,9}$", re.IGNORECASE)  # of a file; that of a version is a number
_HOST = re.compile(r"^[a-z]+:/[^/]+/?")  # of an address as a path, which has one slash


@dataclass(frozen=True, kw_only=True)
class Family:
    """Documents alike; `label` is where they are, for people, and empty if only their names tell."""

    label: str
    members: tuple[DocumentName, ...]
    own_words: frozenset[str]
    words_of: Mapping[UUID, Set[str]] = field(repr=False)
    """The words of each member's name."""

    @cached_property
    def shared(self) -> frozenset[str]:
        """The words that most members' names have."""
        counts = Counter(word for member in self.members for word in self.words_of[member.document_id])
        return frozenset(word for word, count in counts.items() if count >= _SHARED * len(self.members))

    @cached_property
    def last_words(self) -> frozenset[str]:
        """The words of the folder's own name, which has no accents in many places; of parts of a file, behind its."""
        return _plain(content_words(_space_out(PurePosixPath(self.label).name.rpartition("#")[2])))

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of its name."""
        return self.own_words | self.shared

    def says(self, wanted: Set[str]) -> bool:
        """Whether its name has all the words."""
        return _plain(wanted) <= _plain(self.words)

    def share_called(self, wanted: Set[str]) -> float:
        """The share of the members whose names have a word."""
        return sum(bool(wanted & self.words_of[member.document_id]) for member in self.members) / len(self.members)

    def share_named(self, wanted: Set[str]) -> float:
        """The share of the members whose names have all the words."""
        return sum(wanted <= self.words_of[member.document_id] for member in self.members) / len(self.members)

    def is_of(self, wanted: Set[str], said: Set[str], beside: Set[str]) -> bool:
        """Whether each member is one of what the words name: a folder is called so, or the members are, all alike.

        `beside` are words that a folder's name may have, too. What they are alike in may be a word that names the whole
        knowledge base, which is `said` and not `wanted`. The number at the end of a file's name is not alike, so only
        its first word is compared: `bip-0173.mediawiki`.
        """
        _, count = Counter(_ENDING.sub("", member.uri) for member in self.members).most_common(1)[0]
        if count >= _FORMATS:
            return False  # of countries.json, countries.csv and countries.xml none is a country
        last = self.last_words
        if last and last <= _plain(wanted | beside) and self.says(wanted):
            return True
        titles = [words(member.title) for member in self.members]
        files = [words(_space_out(PurePosixPath(member.uri).stem)) for member in self.members]
        beginnings = ([title[:1] for title in titles], [title[-1:] for title in titles], [file[:1] for file in files])
        return any(
            common_part and share >= _ALIKE and content_words(" ".join(common_part)) & said
            for common_part, share in map(_most_common, beginnings)
        )


def find_family(finder: Finder, inventory: Inventory, passages: Sequence[Passage]) -> Family | None:
    """Find the family of documents that a question means; None if no family is clearly meant.

    Args:
        finder: of the search.
        inventory: what the question wants listed or counted.
        passages: what the search found, best first.

    Raises:
        InvalidInputError: a filter names an unknown source.
    """
    every = finder.store.summary_entries.names(finder.index, filters=finder.options.filters, limit=MAX_NAMES)
    wanted_words = _find_wanted_words(finder, inventory)
    if not wanted_words:
        return None
    families = [family for family in _families(every, wanted_words) if len(family.members) >= MIN_MEMBERS]
    named_families = [family for family in families if family.says(wanted_words)]
    beside_words = inventory.kinds | inventory.joining_words
    if not inventory.names_documents:
        named_families = [
            family for family in named_families if family.is_of(wanted_words, inventory.words, beside_words)
        ]
    if named_families:
        return min(named_families, key=lambda family: _distance(family, wanted_words, beside_words))
    if not inventory.names_documents:
        return None
    near_families = [family for family in families if _is_near(family, wanted_words, passages)]
    speaking = (family for family in near_families if _speaks(finder, family, wanted_words - family.words))
    return max(speaking, key=lambda family: (family.share_called(wanted_words), len(family.members)), default=None)


def name_words(name: DocumentName) -> set[str]:
    """The stems of a document's title and of the last part of its URI."""
    return content_words(f"{name.title} {_space_out(PurePosixPath(name.uri).stem)}")


def _plain(stems: Set[str]) -> frozenset[str]:
    return frozenset(map(_plain_stem, stems))


@lru_cache(maxsize=1 << 16)
def _plain_stem(word: str) -> str:
    return stem(strip_accents(word))


def _space_out(name: str) -> str:
    return name.replace("_", " ").replace("-", " ").replace("/", " ")


def _most_common(parts: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], float]:
    """The part that most have, and the share that has it."""
    (common_part, count), *_ = Counter(map(tuple, parts)).most_common(1)
    return common_part, count / len(parts)


def _find_wanted_words(finder: Finder, inventory: Inventory) -> Set[str]:
    """The words of the question but for those that name the whole knowledge base, if others are left."""
    return inventory.words - finder.owner_words or inventory.words


def _families(every: Sequence[DocumentName], wanted: Set[str]) -> Iterator[Family]:
    """Folders with their documents, and the documents that are called by words of the question."""
    folders: dict[tuple[str, PurePosixPath], list[DocumentName]] = {}
    pages: dict[tuple[str, PurePosixPath], set[str]] = {}
    words_of = {name.document_id: name_words(name) for name in every}
    paths = [PurePosixPath(name.uri) for name in every]
    index_names = [index_name if (index_name := path.stem.casefold()) in _INDEX else "" for path in paths]
    for name, path, index_name in zip(every, paths, index_names, strict=True):
        pages[name.source, path.with_name(index_name or path.stem)] = content_words(name.title)
    for name, path, index_name in zip(every, paths, index_names, strict=True):
        if not index_name:
            folders.setdefault((name.source, path.parent), []).append(name)
        elif path.parent.name and _stands_for_folder(name.source, path.with_name(index_name), pages):
            folders.setdefault((name.source, path.parent.parent), []).append(name)
    for (source, folder), documents in folders.items():
        members = [name for name in documents if not name.is_data] or documents
        index = set().union(*(pages.get((source, folder / stem), set()) for stem in _INDEX))
        folder_words = content_words(_space_out(str(folder)))
        folder_words |= pages.get((source, folder), set()) | index
        label = "" if str(folder) == "." else _HOST.sub("", str(folder))
        yield Family(label=label, members=tuple(members), own_words=frozenset(folder_words), words_of=words_of)
        for word in sorted(wanted):
            called = tuple(member for member in members if word in words_of[member.document_id])
            if len(called) < len(members):
                yield Family(label=label, members=called, own_words=frozenset((*folder_words, word)), words_of=words_of)
    for together in [*({word} for word in sorted(wanted)), *([wanted] if len(wanted) > 1 else [])]:
        called = tuple(name for name in every if together <= words_of[name.document_id])
        yield Family(label="", members=called, own_words=frozenset(together), words_of=words_of)


def _stands_for_folder(source: str, index: PurePosixPath, pages: Collection[tuple[str, PurePosixPath]]) -> bool:
    """Whether a folder's own page is a member of the folder above: of several, or beside `tools.md`, only one is."""
    likelier = map(index.with_name, _INDEX[: _INDEX.index(index.name)])
    return not any((source, page) in pages for page in (index.parent, *likelier))


def _distance(family: Family, wanted: Set[str], beside: Set[str]) -> tuple[int, int, float, bool, int]:
    """How far a family that has all the words is from what is meant: by its own words, and a folder is nearer.

    A folder that is not called so may hold a few other documents: without them, the rest is nearer.
    """
    last, plain_wanted = family.last_words, _plain(wanted)
    share_of_others = 0.0 if last & plain_wanted else 1 - family.share_named(wanted)
    return (
        len(plain_wanted - last - _plain(family.shared)),
        len(last - plain_wanted - _plain(beside)),
        share_of_others,
        not last,
        -len(family.members),
    )


def _is_near(family: Family, wanted: Set[str], passages: Sequence[Passage]) -> bool:
    """Whether a family has a word of the question in its members' names, and the search found mostly members."""
    document_ids = list(dict.fromkeys(passage.document_id for passage in passages))[:_AMONG]
    members = {member.document_id for member in family.members}
    share = sum(document_id in members for document_id in document_ids) / max(1, len(document_ids))
    return bool(wanted & family.words) and share >= _FOUND


def _speaks(finder: Finder, family: Family, wanted: Set[str]) -> bool:
    """Whether most members speak of the words that the family's name does not say."""
    ids: list[UUID] = [member.document_id for member in family.members[:_READ]]
    texts: Mapping[UUID, str] = finder.store.summary_entries.texts(finder.index, ids, characters=_READ_CHARS)
    speaking = sum(wanted <= content_words(text) for text in texts.values())
    return speaking >= _SPEAKING * len(ids)
