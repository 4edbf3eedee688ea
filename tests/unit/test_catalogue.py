"""The words of the pages in every language (UI-5)."""

import re
from collections.abc import Iterator

import pytest
from babel.messages.extract import extract_from_dir

from headwater.settings import REPOSITORY
from query_api.app import create_app
from query_api.pages.catalogue import LANGUAGES, read_catalogue
from query_api.pages.settings_fields import PROMPT_NAMES, PROMPTS, sections
from tests.support import Headwater

TEMPLATES = REPOSITORY / "query_api" / "pages" / "templates"
_KEYWORDS = {"_": None, "gettext": None, "ngettext": (1, 2), "N_": None, "NP_": (1, 2), "t": None}
_METHODS = [("**.py", "python"), ("pages/templates/**.html", "jinja2"), ("static/js/**.js", "javascript")]
_PLACE = re.compile(r"%\((\w+)\)s")
_TRANS = re.compile(r"\{%-?\s*trans\b.*?endtrans\s*-?%\}", re.DOTALL)
_CODE = re.compile(r"<(code|kbd|pre|svg)\b.*?</\1>", re.DOTALL)
_JINJA = re.compile(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}|<[^<>]*>|&\w+;", re.DOTALL)
_DYNAMIC = re.compile(r"\b_\((?!\s*[\"'])")
_ADDRESSES = re.compile(r"\{% macro (?:form_url|chunk_url).*?endmacro %\}")
_VALUE = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_BARE_WORD = re.compile(r"\b(?:or|else) [\"'][a-z]{2,}[\"']")
_OURS = {"Headwater", "UTC"}
OTHERS = [language for language in LANGUAGES if language != "en"]

pytestmark = pytest.mark.synced("docs", files={"pump.md": "# Pump\n\nThe pump lifts forty litres per minute.\n"})


def _marked() -> Iterator[str | tuple[str, ...]]:
    options = {"pages/templates/**.html": {"trimmed": "true"}}
    root = str(REPOSITORY / "query_api")
    for _, _, message, _, _ in extract_from_dir(root, _METHODS, options, keywords=_KEYWORDS):
        yield message


@pytest.mark.parametrize("language", OTHERS)
def test_a_language_has_every_text_and_no_other(language: str) -> None:
    """`make messages` adds what is missing; a text that no page has any more is removed."""
    messages = {one.id for one in read_catalogue(language) if one.id}
    marked = set(_marked())
    marked -= {one[0] for one in marked if isinstance(one, tuple)}  # gettext finds these in the entry with the plural
    assert marked - messages == set()
    assert messages - marked == set()


@pytest.mark.parametrize("language", OTHERS)
def test_a_translation_is_whole(language: str) -> None:
    """None is empty or a guess; each has the places, the tags and the ends of the English text."""
    for one in read_catalogue(language):
        if not one.id:
            continue
        ids, strings = (value if isinstance(value, tuple) else (value,) for value in (one.id, one.string))
        assert not one.fuzzy, one.id
        for english, other in zip(ids, strings, strict=True):
            assert other, one.id
            assert set(_PLACE.findall(str(english))) == set(_PLACE.findall(str(other))), english
            assert str(english).count("&amp;") == str(other).count("&amp;"), english
            assert not re.search(r"[<>]", str(other)), english


def _shows_bare_word(text: str, value: re.Match[str]) -> bool:
    """Whether a value of a template may be a word that is not marked; those of attributes and badges are no words."""
    is_in_tag = text.rfind("<", 0, value.start()) > text.rfind(">", 0, value.start())
    return not is_in_tag and "badge(" not in value[0] and _BARE_WORD.search(value[0]) is not None


def test_templates_have_no_text_outside_the_catalogue() -> None:
    """Every word that people read is marked; what is marked is a text, never a value, which would not be escaped."""
    found = {}
    for path in sorted(TEMPLATES.glob("*.html")):
        text = path.read_text(encoding="utf-8")
        assert not _DYNAMIC.search(text), path.name
        assert not [match[0] for match in _VALUE.finditer(text) if _shows_bare_word(text, match)], path.name
        rest = _JINJA.sub(" ", _ADDRESSES.sub(" ", _CODE.sub(" ", _TRANS.sub(" ", text))))
        found[path.name] = set(re.findall(r"[A-Za-z]{3,}", rest)) - _OURS - {"page", "narrow", "chat"}
    assert not {name: words for name, words in found.items() if words}


def test_a_reader_gets_the_language_of_the_browser_or_the_one_chosen(kb: Headwater) -> None:
    """The setting wins, and another site cannot set it; a language that there is not is English."""
    client = create_app(kb.settings).test_client()
    english = client.get("/kb/kb/sources", headers={"Accept-Language": "fr, en;q=0.5"}).text
    assert '<html lang="en"' in english
    german = client.get("/kb/kb/sources", headers={"Accept-Language": "de-AT, en;q=0.5"}).text
    assert '<html lang="de"' in german
    assert "1 Dokument" in german
    assert "letzter Abgleich" in german
    assert '<script type="application/json" id="headwater-words">' in german
    assert "Quellen" in german
    assert "Add a source" not in german
    sent = client.post(
        "/language", data={"language": "de", "next": "/kb/kb/chat?q=a"}, headers={"Sec-Fetch-Site": "same-origin"}
    )
    assert (sent.status_code, sent.headers["Location"]) == (303, "/kb/kb/chat?q=a")
    assert '<html lang="de"' in client.get("/kb/kb/chat").text
    page = client.get("/kb/kb/search?q=%3Ca%3E").text
    assert 'value="/kb/kb/search?q=%3Ca%3E"' in page, "each page names its own address"
    evil = client.post("/language", data={"language": "en"}, headers={"Origin": "https://evil.example"})
    assert evil.status_code == 403
    assert (
        client.post(
            "/language", data={"language": "de", "next": "//evil.example"}, headers={"Sec-Fetch-Site": "same-origin"}
        ).headers["Location"]
        == "/"
    )


def test_every_setting_has_words_of_its_own_in_every_language() -> None:
    """The name of a field of the YAML file is no label; prompts have names, too."""
    assert set(PROMPT_NAMES) == set(PROMPTS)
    inputs = [field for section in sections() for field in (*section.fields, *section.more)]
    labels = {*PROMPT_NAMES.values(), *(field.label for field in inputs), *(field.hint for field in inputs)} - {""}
    for language in OTHERS:
        assert labels - {message.id for message in read_catalogue(language)} == set()
