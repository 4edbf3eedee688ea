"""The words of the pages in the reader's language, from the catalogues in `query_api/locale` (gettext).

Belongs here: which languages there are, which one a reader gets, and looking words up. Not here: the words of answers
(`headwater.understanding.reader_texts`), messages of errors, which are in English everywhere. Guarantee: a text without
a translation is shown in English; a catalogue is read once, from its `.po`, so there is nothing to compile.

English texts are the keys. Templates mark them with `_("…")` and `{% trans %}`, Python with `N_` and `NP_`, scripts
with `t("…")`; `make messages` collects them.
"""

import gettext
import io
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from flask import has_request_context, request

LOCALE = Path(__file__).parents[1] / "locale"
LANGUAGES: Mapping[str, str] = MappingProxyType({"en": "English", "de": "Deutsch"})
"""The languages of the pages, each as its readers call it."""
COOKIE = "headwater_language"
_ENGLISH = "en"


def N_(text: str) -> str:  # noqa: N802 - the name that gettext's tools know
    """Mark a text of Python for the catalogue; it is looked up where it is shown."""
    return text


def NP_(one: str, several: str) -> tuple[str, str]:  # noqa: N802
    """Mark a noun with its plural."""
    return one, several


NOUNS = (
    NP_("answer", "answers"), NP_("chunk", "chunks"), NP_("day", "days"), NP_("document", "documents"),
    NP_("earlier question", "earlier questions"), NP_("entry", "entries"), NP_("evaluation", "evaluations"),
    NP_("file", "files"), NP_("knowledge base", "knowledge bases"), NP_("message", "messages"),
    NP_("more passage", "more passages"), NP_("older version", "older versions"), NP_("part", "parts"),
    NP_("passage", "passages"), NP_("question", "questions"), NP_("source", "sources"), NP_("text", "texts"),
    NP_("time", "times"), NP_("token", "tokens"), NP_("version", "versions"),
)  # fmt: skip
"""What pages and scripts count."""
_PLURALS = dict(NOUNS)
STATES = (
    N_("active"), N_("added"), N_("answers"), N_("questions"), N_("summaries"),
    N_("changed"), N_("document"), N_("expired"), N_("group"), N_("knowledge base"),
    N_("piece"), N_("removed"), N_("revoked"),
    N_("source"), N_("summary"), N_("answer"), N_("question"), N_("auto"), N_("light"), N_("dark"),
    N_("embed"), N_("grade"), N_("grading"), N_("rerank"), N_("reuse"), N_("search"), N_("total"), N_("understanding"),
)  # fmt: skip
"""Words of the domain that pages show as they are stored."""
SYNC_STATES: Mapping[str, str] = MappingProxyType({
    "pending": N_("Queued"), "queued": N_("Queued"), "syncing": N_("Syncing"), "ready": N_("Done"),
    "failed": N_("Failed"), "cancelled": N_("Cancelled"),
})  # fmt: skip
"""The states of a source within a sync."""
SYNC_ORIGINS: Mapping[str, str] = MappingProxyType({
    "api": N_("page or API"), "command_line": N_("command line"), "dagster": N_("Dagster"), "schedule": N_("schedule"),
})  # fmt: skip
"""Who asked for a sync."""


def reader_language() -> str:
    """The language that a reader chose, else the first of the browser's that there is, else English."""
    if not has_request_context():
        return _ENGLISH
    cookie_language = request.cookies.get(COOKIE, "")
    if cookie_language in LANGUAGES:
        return cookie_language
    preferred = (tag.partition("-")[0].lower() for tag in request.accept_languages.values())  # `de-AT` is German, too
    return next((tag for tag in preferred if tag in LANGUAGES), _ENGLISH)


def translate(text: str, /, **values: object) -> str:
    """A text in the reader's language, with values at its places such as `%(name)s`."""
    words = _translations(reader_language()).gettext(text) if text else ""
    return words % values if values else words


def translate_plural(one: str, several: str, count: int) -> str:
    """A text that depends on a number."""
    return _translations(reader_language()).ngettext(one, several, count)


def count_words(count: int, noun: str) -> str:
    """A number with its noun, such as `1 document` or `1,200 documents`; the catalogue has both forms of the noun."""
    return f"{group_digits(count)} {translate_plural(noun, _PLURALS[noun], count)}"


def trust_words(trust: float) -> str:
    """The trust of a passage for people, such as `trust 0.91`."""
    return translate(N_("trust %(trust)s"), trust=decimal(f"{trust:.2f}"))


def decimal(text: str) -> str:
    """A number as text, with the decimal sign of the reader's language."""
    return text.replace(".", ",") if reader_language() == "de" else text


def group_digits(value: float) -> str:
    """A number with the separators of the reader's language."""
    text = f"{value:,}"
    return text.translate(str.maketrans(",.", ".,")) if reader_language() == "de" else text


@cache
def script_words(language: str) -> str:
    """The translations that scripts need, as JSON; empty in English."""
    if language == _ENGLISH:
        return ""
    words: dict[str, str] = {}
    for message in read_catalogue(language):
        if isinstance(message.id, tuple) and isinstance(message.string, tuple):
            words |= dict(zip(message.id, message.string, strict=True))
        elif any(name.endswith(".js") for name, _ in message.locations):
            words[str(message.id)] = str(message.string)
    return json.dumps(words, ensure_ascii=False).replace("<", "\\u003c")


def read_catalogue(language: str) -> Catalog:
    """The messages of a language as its file has them."""
    with (LOCALE / language / "LC_MESSAGES" / "headwater.po").open("rb") as file:
        return read_po(file, locale=language)


@cache
def _translations(language: str) -> gettext.NullTranslations:
    if language == _ENGLISH:
        return gettext.NullTranslations()
    compiled = io.BytesIO()
    write_mo(compiled, read_catalogue(language))
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)
