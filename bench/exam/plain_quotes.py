"""The reference without a model: the best run of neighbouring atoms of each passage, by one short formula.

Belongs here: atoms, runs, their score, and how a quote is written. Not here: our own quotes (`answers`), the passages
(`plain_script`). Guarantee: no list of words beyond function words, and no fitted weight per rule, so that rules which
do no better than this can be told.

Atoms are sentences, list items, table rows with their header, and code. The score of a run of at most `MAX_WORDS` words
is the best cosine of an atom under its headings, plus .6 x the share of the question's words that the run holds,
weighted by idf, plus .15 x the same for the headings, - .1 x the passage's rank, + .1 x the length (up to 60 words),
+ .08 where the question asks for a number and the run holds one, - .15 where it ends in a question or a colon.

On 60 questions about five collections that it was not written for, with five passages of Headwater's search, the truth
was in the first quote of 40 (68 words), in the first three of 52 (197 words), and in the passages of 55.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import Stemmer
from markdown_it import MarkdownIt
from markdown_it.token import Token

from headwater.domain.search import Passage
from headwater.models_gateway.embedder import Vectors

MAX_WORDS = 80
_MAX_EMBEDDED_CHARS = 600
_LONG_WORDS = 60  # from which length earns no more
_BOUND_LENGTH_FACTOR = 1.5  # how much longer a run may be if its last atom needs the one before
_KIND_BY_TOKEN = {
    "paragraph_open": "sentence", "blockquote_open": "sentence", "html_block": "sentence", "fence": "code",
    "code_block": "code", "table_open": "row", "bullet_list_open": "item", "ordered_list_open": "item",
}  # fmt: skip
_JOINT = {"row": "\n", "item": "\n", "code": "\n\n"}
_MARKDOWN = MarkdownIt("commonmark").enable("table")
_STEMMER = Stemmer.Stemmer("english")
_WORD_PATTERN = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?|\d[\d.,:]*|[^\W_]+")
_SENTENCE_END_PATTERN = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[A-Z0-9\"'(\[`*])")
_LIST_ITEM_PATTERN = re.compile(r"^(?=\s{0,3}(?:[-*+]|\d+[.)])\s)", re.MULTILINE)
_LINK_PATTERN = re.compile(r"\[([^]]+)\]\([^)]*\)")
_IMAGE_PATTERN = re.compile(r"!\[[^]]*\]\([^)]*\)|<[^>]+>")
_ASKS_FOR_NUMBER_PATTERN = re.compile(
    r"\bhow (many|much|long|old|far|high|late|often|big|large|fast)\b"
    r"|\b(rate|limit|fee|cost|price|maximum|minimum|default)\b|\bwhen\b",
    re.IGNORECASE,
)
_NUMBER_PATTERN = re.compile(
    r"\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|twelve|half|hundred|thousand)\b", re.IGNORECASE
)
_FUNCTION_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
        a an the of to in on for and or is are was were be been do does did can could i my me we our you your it its
        this that with by at from how what which who when where why will would should if as not no have has had there
        their they them than then into about get got any
        """,
    )
)

Embed = Callable[[Sequence[str]], Vectors]
"""Returns unit vectors, shape (texts, dimensions)."""
Idf = Callable[[str], float]
"""The weight of a stem."""


@dataclass(frozen=True, kw_only=True)  # a cached property needs a __dict__, so no slots
class Atom:
    """The smallest thing that is quoted whole; code and a list's first item need the atom before."""

    markdown: str
    headings: tuple[str, ...]
    kind: str
    table_header: str = ""
    needs_previous: bool = False

    @cached_property
    def plain(self) -> str:
        """What a reader sees."""
        return _plain_text(self.markdown)


@dataclass(frozen=True, kw_only=True, slots=True)
class Quote:
    """A run of atoms of one passage."""

    atoms: Sequence[Atom]
    passage: Passage
    score: float


@dataclass(frozen=True, kw_only=True, slots=True)
class _Asked:
    """What a question asks for."""

    stems: frozenset[str]
    idf: Idf
    is_for_number: bool

    @classmethod
    def of(cls, question: str, idf: Idf) -> "_Asked":
        stems = frozenset(stems_of(question))
        return cls(stems=stems, idf=idf, is_for_number=bool(_ASKS_FOR_NUMBER_PATTERN.search(question)))

    def share(self, text: str) -> float:
        """The share of the question's words that a text holds, weighted by idf."""
        whole = sum(map(self.idf, self.stems)) or 1.0
        return sum(map(self.idf, self.stems & stems_of(text))) / whole


def stems_of(text: str) -> set[str]:
    """Stems of the words that carry meaning."""
    words = (word.lower() for word in _WORD_PATTERN.findall(text))
    return {_STEMMER.stemWord(word) for word in words if word not in _FUNCTION_WORDS}


def inverse_frequency(blocks: Iterable[str]) -> Idf:
    """How rare a stem is among the blocks of a knowledge base."""
    counts: Counter[str] = Counter()
    total = 0
    for block in blocks:
        total += 1
        counts.update(stems_of(block))
    return lambda stem: math.log(1 + total / (1 + counts[stem]))


def pick_quotes(question: str, passages: Sequence[Passage], embed: Embed, idf: Idf) -> list[Quote]:
    """The best run of each passage, best first.

    Args:
        question: the question.
        passages: in the order of the search.
        embed: embeds the question and the atoms.
        idf: of the knowledge base.
    """
    asked = _Asked.of(question, idf)
    atoms_by_passage = [split_atoms(passage.text, passage.breadcrumb or (passage.title,)) for passage in passages]
    texts = [_embedded_text(atom) for atoms in atoms_by_passage for atom in atoms]
    vectors = embed([question, *texts])
    similarities = iter((vectors[1:] @ vectors[0]).tolist())
    quotes = []
    for rank, (passage, atoms) in enumerate(zip(passages, atoms_by_passage, strict=True)):
        own = [next(similarities) for _ in atoms]
        scored = [
            Quote(
                atoms=atoms[first:last], passage=passage, score=_score(asked, atoms[first:last], max(own[first:last]))
            )
            for first, last in _runs(atoms)
        ]
        if scored:
            best = max(scored, key=lambda quote: quote.score)
            quotes.append(Quote(atoms=best.atoms, passage=passage, score=best.score - 0.1 * rank))
    return sorted(quotes, key=lambda quote: -quote.score)


def _score(asked: _Asked, run: Sequence[Atom], similarity: float) -> float:
    """The score of a run, without the rank of its passage."""
    text = " ".join(atom.plain for atom in run)
    score = similarity + 0.6 * asked.share(text) + 0.15 * asked.share(" ".join(run[0].headings))
    score += 0.1 * min(len(text.split()), _LONG_WORDS) / _LONG_WORDS
    score += 0.08 * (asked.is_for_number and _NUMBER_PATTERN.search(text) is not None)
    return score - 0.15 * run[-1].markdown.rstrip().endswith(("?", ":"))


def split_atoms(markdown: str, breadcrumb: Sequence[str]) -> list[Atom]:
    """A passage's atoms in reading order, each with the headings above it."""
    lines, tokens = markdown.split("\n"), _MARKDOWN.parse(markdown)
    atoms: list[Atom] = []
    open_headings: list[tuple[int, str]] = []
    for position, token in enumerate(tokens):
        if token.level or not token.map:
            continue
        if token.type == "heading_open":
            level = int(token.tag[1])
            open_headings = [heading for heading in open_headings if heading[0] < level]
            open_headings.append((level, tokens[position + 1].content))
        headings = (*breadcrumb, *(title for _, title in open_headings if title not in breadcrumb))
        atoms += _atoms_of(token, "\n".join(lines[token.map[0] : token.map[1]]), headings)
    return atoms


def _atoms_of(token: Token, body: str, headings: tuple[str, ...]) -> Iterator[Atom]:
    """The atoms of one block; none of a heading."""
    kind, header, parts = _KIND_BY_TOKEN.get(token.type, ""), "", [body]
    if kind == "sentence":
        parts = _SENTENCE_END_PATTERN.split(body.replace("\n", " "))
    elif kind == "item":
        parts = [part for part in _LIST_ITEM_PATTERN.split(body) if part.strip()]
    elif kind == "row":
        header, parts = "\n".join(body.split("\n")[:2]), body.split("\n")[2:]
    for position, part in enumerate(parts if kind else []):
        is_bound = kind == "code" or (kind == "item" and position == 0)
        yield Atom(markdown=part, headings=headings, kind=kind, table_header=header, needs_previous=is_bound)


def _runs(atoms: Sequence[Atom]) -> Iterator[tuple[int, int]]:
    """All (first, last + 1) of neighbours below the same headings, within the limit; none without what it needs."""
    for first, atom in enumerate(atoms):
        if atom.needs_previous and first:
            continue
        yield first, first + 1
        words = _count(atom)
        for last in range(first + 1, len(atoms)):
            added = atoms[last]
            words += _count(added)
            limit = MAX_WORDS * (_BOUND_LENGTH_FACTOR if added.needs_previous else 1)
            if added.headings != atom.headings or words > limit:
                break
            yield first, last + 1


def render(quote: Quote) -> str:
    """The markdown of a quote, with one header above the rows of a table."""
    written: list[str] = []
    header = ""
    for atom in quote.atoms:
        if atom.kind == "row" and atom.table_header != header:
            written.append(f"\n\n{atom.table_header}")
        header = atom.table_header
        written.append(_JOINT.get(atom.kind, " ") + atom.markdown)
    return "".join(written).strip()


def quoted(quotes: Collection[Quote]) -> str:
    """The quotes as one text, each with its marker."""
    return "\n\n".join(f"{render(quote)} [{number}]" for number, quote in enumerate(quotes, start=1))


def _embedded_text(atom: Atom) -> str:
    return f"{' > '.join(atom.headings[-2:])}: {atom.plain}"[:_MAX_EMBEDDED_CHARS]


def _count(atom: Atom) -> int:
    """Words that a reader sees."""
    return len(atom.plain.split())


def _plain_text(markdown: str) -> str:
    """Text without links, images and tags."""
    return " ".join(_IMAGE_PATTERN.sub(" ", _LINK_PATTERN.sub(r"\1", markdown)).split())
