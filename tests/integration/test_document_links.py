"""Links of documents and of code on their way through syncs, and as people read them (GRA-1)."""

import json
from collections.abc import Callable
from typing import Any

import dagster as dg
import psycopg
import pytest
from click.testing import CliRunner

from assets.checks import check_search_index
from cli.main import main
from headwater.domain.links import LinkEnd, Symbol
from headwater.domain.source_settings import SourceSettings
from headwater.retrieval.finder import SearchOptions
from headwater.retrieval.search import search
from query_api.app import create_app
from tests.support import Headwater

FILES = {
    "README.md": "# Works\n\nSee [the guide](docs/guide.md#the-pump), [gone](docs/gone.md) and [folder](docs).\n",
    "docs/guide.md": (
        f"# Guide\n\n{'Words come first. ' * 30}\n\n## The pump\n\n{'It lifts water. ' * 30}[Up](../README.md),"
        " [out](https://a.example/).\n"
    ),
    "docs/other.md": "# Other\n\nNothing links here.\n",
    "works/pump.py": (
        "import json\n\n\nclass Pump:\n    def lift(self) -> int:\n        return self.measure() + json.loads('1')\n\n"
        "    def measure(self) -> int:\n        return 1\n\n\ndef start(pump: Pump) -> None:\n    pump.lift()\n"
    ),
    "works/house.py": (
        "from works.pump import Pump, start as begin\n\n\ndef run(anything, start):\n    begin(Pump())\n    start()\n"
        "    anything.lift()\n"
    ),
}


@pytest.fixture
def kb(headwater: Callable[..., Headwater]) -> Headwater:
    """A synced folder of documents and code."""
    made = headwater(files={f"docs/{path}": text for path, text in FILES.items()})
    config = {"path": str(made.folder / "docs")}
    made.store.sources.update(made.source(), kind="folder", config=config, settings=SourceSettings())
    assert made.sync()["docs"].state == "ready"
    return made


def _symbol(kb: Headwater, name: str) -> Symbol:
    return kb.store.link_reading.symbol(kb.store.search_indexes.active(kb.slug), name)


def _places(ends: tuple[LinkEnd, ...]) -> list[tuple[str, int, str]]:
    return [(end.uri, end.line, end.symbol) for end in ends]


def _from(kb: Headwater, uri: str) -> dict[str, tuple[str, int] | None]:
    """The links of a document with what they lead to."""
    index = kb.store.search_indexes.active(kb.slug)
    assert index is not None
    (document_id,) = kb.store.link_reading.documents_of_uri(index, uri)
    links = kb.store.link_reading.of_document(index, document_id, uri).outgoing
    return {link.name: (link.target.uri, link.target.line) if link.target else None for link in links}


def _dead(kb: Headwater) -> list[tuple[str, int, str]]:
    found = kb.store.link_reading.dead(kb.knowledge_base, kb.store.search_indexes.active(kb.slug))
    return [(link.origin.uri, link.origin.line, link.name) for link in found]


def test_a_symbol_is_known_with_what_uses_it(kb: Headwater) -> None:
    """By its name or the end of its qualified name; a call on an unknown object is only possible, never resolved."""
    lift = _symbol(kb, "Pump.lift")
    assert _places(lift.definitions) == [("works/pump.py", 5, "works.pump.Pump.lift")]
    assert _places(lift.callers) == [("works/pump.py", 13, "works.pump.start")]
    assert _places(lift.possible) == [("works/house.py", 7, "works.house.run")]
    assert [link.target and link.target.symbol for link in lift.uses] == ["works.pump.Pump.measure"]
    start = _symbol(kb, "start")
    assert _places(start.callers) == [("works/house.py", 5, "works.house.run")]  # by its other name, not the parameter
    assert _places(start.importers) == [("works/house.py", 1, "works.house")]
    assert lift.definitions[0].chunk_id is not None
    assert _symbol(kb, "nothing").definitions == ()


def test_links_lead_again_where_they_led_when_a_document_returns(kb: Headwater) -> None:
    """A document that goes and returns rewrites no link of another; an edit writes its own; a second sync nothing."""
    assert _from(kb, "README.md") == {
        "docs/guide.md#the-pump": ("docs/guide.md", 5), "docs/gone.md": None, "docs": None,
    }  # fmt: skip
    before = kb.content()
    kb.sync()
    assert kb.content() == before
    kb.remove("works/pump.py")
    kb.sync()
    assert _symbol(kb, "start").definitions == _symbol(kb, "start").callers == ()
    assert _symbol(kb, "Pump.lift").definitions == ()
    kb.write("docs/works/pump.py", "\n" + FILES["works/pump.py"])
    kb.sync()
    assert _places(_symbol(kb, "start").callers) == [("works/house.py", 5, "works.house.run")]
    assert _places(_symbol(kb, "start").definitions) == [("works/pump.py", 13, "works.pump.start")]
    kept = [row for row in before["links"] if "works.house" in row or "guide.md" in row]
    assert kept
    assert set(kept) <= set(kb.content()["links"])


def test_a_name_that_two_files_define_leads_to_neither(kb: Headwater) -> None:
    """Unless the document is one of them."""
    kb.write("docs/src/works/pump.py", FILES["works/pump.py"])
    kb.sync()
    assert _places(_symbol(kb, "start").callers) == [("works/house.py", 5, "works.house.run")]  # another module
    kb.write("docs/works/pump/__init__.py", "def start(pump):\n    return start\n")
    kb.sync()
    assert _symbol(kb, "works.pump.start").callers == ()
    callers = _places(_symbol(kb, "works.pump.Pump.lift").callers)  # the end of two names, each used in its own file
    assert callers == [("src/works/pump.py", 13, "src.works.pump.start"), ("works/pump.py", 13, "works.pump.start")]


def test_dead_links_are_listed(kb: Headwater) -> None:
    """Relative ones that look like documents, and those to removed documents; folders and other sites are not."""
    assert _dead(kb) == [("README.md", 3, "docs/gone.md")]
    kb.remove("docs/guide.md")
    kb.sync()
    assert _dead(kb) == [("README.md", 3, "docs/guide.md#the-pump"), ("README.md", 3, "docs/gone.md")]
    checked = {found.check_name: found for found in check_search_index(kb.store, kb.slug, is_spot=True)}
    dead, links = checked["dead_links"], checked["links"]
    assert (dead.passed, dead.severity, links.passed) == (False, dg.AssetCheckSeverity.WARN, True)
    values = {name: value.value for name, value in dead.metadata.items()}
    assert (values["count"], values["references"], values["resolved_share"]) == (2, 3, 0.0)
    assert values["sources"] == {"docs": {"references": 3, "resolved": 0, "dead": 2}}


def test_the_check_finds_links_without_a_document(kb: Headwater) -> None:
    """And documents whose links are not read, which the next sync reads."""
    with psycopg.connect(kb.store.database.url) as connection:
        connection.execute("UPDATE links SET document_id = gen_random_uuid() WHERE name = 'lift' AND kind = 'defines'")
        connection.execute("DELETE FROM link_sets WHERE version_id IN (SELECT head_version_id FROM documents"
                           " WHERE uri = 'README.md')")  # fmt: skip
    (found,) = check_search_index(kb.store, kb.slug, ["links"], is_spot=False)
    assert (found.passed, found.severity) == (False, dg.AssetCheckSeverity.ERROR)
    assert (found.metadata["count"].value, found.metadata["unread_documents"].value) == (1, 1)
    kb.sync()
    assert "docs/gone.md" in _from(kb, "README.md")


def test_an_address_leads_into_another_source(headwater: Callable[..., Headwater]) -> None:
    """A path does not: a file of the same name there is another file."""
    pages = json.dumps({"uri": "https://a.example/b", "title": "B", "text": "# B\n\nWords."})
    kb = headwater(
        "docs", "more", files={"docs/a.md": "# A\n\n[b](https://a.example/b/) [c](b.md)\n", "more/b.md": "B"}
    )
    config = {"path": str(kb.folder / "more" / "pages.jsonl")}
    kb.store.sources.update(kb.source("more"), kind="jsonl", config=config, settings=SourceSettings())
    kb.write("more/pages.jsonl", pages)
    kb.sync()
    assert _from(kb, "a.md") == {"https://a.example/b/": ("https://a.example/b", 1), "b.md": None}


def test_a_search_may_follow_calls(kb: Headwater) -> None:
    """Off by default: then a call leads nowhere; with the setting or the option, the callee's passage comes with it."""

    def found(**options: Any) -> dict[str, str | None]:
        made = SearchOptions(mode="keyword", top_k=50, group_by="passage", **options)
        passages = search(kb.store, kb.settings, kb.knowledge_base, "anything begin", made).passages
        return {passage.uri: passage.scores.via for passage in passages}

    assert found() == {"works/house.py": None}
    followed = found(follow_links=True)
    assert set(followed) == {"works/house.py", "works/pump.py"}
    assert str(followed["works/pump.py"]).startswith("call of ")
    changed = kb.knowledge_base.settings.model_copy(update={"follow_links": True})
    kb.store.knowledge_bases.update(kb.slug, name=None, description=None, settings=changed)
    assert found() == followed
    assert found(follow_links=False) == {"works/house.py": None}


def test_people_read_them_by_command_and_over_http(kb: Headwater) -> None:
    """As text, as JSON and as a picture; the deletion of the source takes them along."""
    run = CliRunner()

    def said(*arguments: str) -> str:
        done = run.invoke(main, ["links", kb.slug, *arguments], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output

    assert "  works/pump.py:13 works.pump.start" in said("Pump.lift")
    assert "docs/guide.md#the-pump (line 3) -> docs/guide.md:5" in said("README.md")
    assert "  line 3: docs/gone.md (“gone”)" in said("--dead")
    missing = run.invoke(main, ["links", kb.slug, "no_such_thing", "--json"])
    assert (missing.exit_code, json.loads(missing.stdout)["error"]["code"]) == (2, "NOT_FOUND")
    picture = kb.folder / "lift.svg"
    said("lift", "--svg", str(picture))
    client = create_app(kb.settings).test_client()
    base = f"/api/v1/knowledge-bases/{kb.slug}"
    drawn = client.get(f"{base}/symbols.svg", query_string={"name": "lift"})
    assert "Pump.lift" in drawn.text
    assert drawn.text.count("<a ") == picture.read_text().count("<a ") == 4
    assert drawn.content_type == "image/svg+xml; charset=utf-8"
    assert "default-src 'none'" in drawn.headers["Content-Security-Policy"]
    symbol = client.get(f"{base}/symbols", query_string={"name": "lift"}).get_json()
    assert symbol == json.loads(said("lift", "--json"))
    document_id = symbol["definitions"][0]["document_id"]
    links = client.get(f"/api/v1/documents/{document_id}/links").get_json()
    assert {link["origin"]["uri"] for link in links["into"]} == {"works/house.py"}
    assert "imported by (1)" in client.get(f"/api/v1/documents/{document_id}/links.svg").text
    (dead_link,) = client.get(f"{base}/dead-links").get_json()["dead_links"]
    assert (dead_link["link"], dead_link["words"]) == ("docs/gone.md", "gone")
    counted = kb.query("SELECT count(*) AS links FROM links")[0]["links"]
    removed = kb.delete("docs").removed
    assert (removed["links"], removed["link_sets"]) == (counted, len(FILES))
    assert not kb.query("SELECT FROM links UNION ALL SELECT FROM link_sets")
