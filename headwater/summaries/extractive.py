"""Summaries without a model: titles, leading sentences and headings, word for word.

Belongs here: choosing what a summary says. Not here: what is summarised together (`tree`), summaries by a model,
sentences and how central they are (`central`). Guarantee: pure and deterministic; every sentence, heading and title of
a summary stands in one of the texts; only the words between them are ours.

A document's summary says what it is called, what it is for, and which sections it has. That of a group says how many
documents there are, which words their titles share, and what they are called. So an edit inside a document mostly
changes no summary above it.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from html import unescape

from headwater.domain.summaries import SECTIONS, NodeKind
from headwater.lexical.token_estimate import estimate_tokens
from headwater.parsing.markdown.headings import plain_heading
from headwater.summaries.central import beginning, choose_leading_sentences
from headwater.summaries.headings import sections_of
from headwater.summaries.tree import Wanted
from headwater.understanding.words import content_words, every_word, stem

_TITLE = 200  # characters
_PURPOSE = 0.55  # of a summary's tokens: the rest is for its sections
_SHARED = 4  # words
_HEAD = 0.3  # of a summary's tokens, for what titles share: the rest is for titles
_MIN_SHARE = 0.3  # of the titles have a shared word
_AND_MORE = 6  # tokens of "and 1,234 more"


def summarize(wanted: Wanted, *, tokens: int, language: str = "") -> str:
    """Summarise texts.

    Args:
        wanted: the texts; a document's summary begins with its title.
        tokens: the most tokens of the summary, by the estimate.
        language: of the texts, as a code; empty if it is unknown.

    Returns:
        The summary; if no sentence fits, the beginning of the first text.
    """
    if wanted.kind in (NodeKind.PIECE, NodeKind.DOCUMENT) or wanted.is_within_document:
        return _of_document(wanted, tokens, language)
    return _of_group(wanted, tokens, language)


def _of_document(wanted: Wanted, tokens: int, language: str) -> str:
    """Its title, what it is for, its sections; of a group of its pieces, what they say first."""
    title = _plain(wanted.title)
    head = f"{title}: " if wanted.kind is NodeKind.DOCUMENT and title else ""
    tokens_left = tokens - estimate_tokens(head)
    sections = sections_of(wanted.headings, title) if wanted.kind is not NodeKind.GROUP else []
    room = int(tokens_left * _PURPOSE) if sections else tokens_left
    purpose: list[str] = []
    for texts in ([wanted.texts[:1]] if wanted.is_within_document else []) + [wanted.texts]:  # it begins with the first
        purpose = purpose or choose_leading_sentences(texts, title=title, tokens=room, language=language)
    body = " ".join(purpose)
    listed = _join_names(f"{SECTIONS} ", sections, tokens_left - estimate_tokens(body))
    if not body and not listed:
        body = beginning(wanted.texts, tokens_left)
    return " ".join(filter(None, (f"{head}{body}".strip(), listed)))


def _of_group(wanted: Wanted, tokens: int, language: str) -> str:
    """How many documents there are, what their titles share, what they are called; or of sources, their summaries."""
    titles = [_plain(title) for title in wanted.titles]
    if not titles:
        return _of_sources(wanted, tokens)
    shared = find_shared_words(titles, language)
    message = f" with “{'”, “'.join(shared)}” in their titles" if shared else ""
    name = f"{wanted.title}: " if wanted.kind is NodeKind.SOURCE and wanted.title else ""
    head = f"{name}{len(titles):,} documents{message}: "
    if estimate_tokens(head) > _HEAD * tokens:
        head = f"{name}{len(titles):,} documents: "
    return head + _join_names("", _spread(titles), tokens - estimate_tokens(head))


def _plain(title: str) -> str:
    return unescape(plain_heading(title))[:_TITLE].strip()


def _of_sources(wanted: Wanted, tokens: int) -> str:
    """The beginning of each summary, as much of each."""
    tokens_each = tokens // max(1, len(wanted.texts))
    return " ".join(filter(None, (beginning([text], tokens_each) for text in wanted.texts)))


def find_shared_words(titles: Sequence[str], language: str = "") -> list[str]:
    """The words that many titles share, the most frequent first, as they are mostly written."""
    forms_by_stem: dict[str, Counter[str]] = {}
    for title in titles:
        for word in dict.fromkeys(every_word(title)):
            forms_by_stem.setdefault(stem(word, language), Counter())[word] += 1
    meant = {word for title in titles for word in content_words(title, language)}
    counts = {root: sum(forms.values()) for root, forms in forms_by_stem.items() if root in meant and len(root) > 1}
    least = max(2, _MIN_SHARE * len(titles))
    often = sorted((root for root, count in counts.items() if count >= least), key=lambda root: (-counts[root], root))
    return [forms_by_stem[root].most_common(1)[0][0] for root in often[:_SHARED]]


def _spread(titles: Sequence[str]) -> list[str]:
    """Titles in an order in which the first few come from everywhere: the first half of what is left, and so on."""
    order: dict[int, None] = {}
    step = len(titles)
    while step >= 1:
        order |= dict.fromkeys(range(0, len(titles), step))
        step //= 2
    return list(dict.fromkeys(titles[place] for place in order))


def _join_names(head: str, names: Sequence[str], tokens: int) -> str:
    """Names in one line, as many as fit, and how many more there are; empty if none fits."""
    tokens_left = tokens - estimate_tokens(head)
    every = list(_take_fitting(names, tokens_left))
    listed = every if len(every) == len(names) else list(_take_fitting(names, tokens_left - _AND_MORE))
    if not listed:
        return ""
    more_count = len(names) - len(listed)
    return f"{head}{'; '.join(listed)}{f'; and {more_count:,} more' if more_count else ''}."


def _take_fitting(names: Sequence[str], tokens: int) -> Iterator[str]:
    for name in names:
        tokens -= estimate_tokens(f"{name}; ")
        if tokens < 0:
            return
        yield name
