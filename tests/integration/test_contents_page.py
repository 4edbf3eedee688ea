"""The page of the contents: which summaries it shows, and what it asks of Postgres (UI-3)."""

from typing import Any

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from cli.main import main
from headwater.store.server.query_session import Session
from query_api.app import create_app
from tests.support import Headwater

SOURCES = tuple(f"site-{number}" for number in range(8))
FILES = {
    f"{source}/{name}.md": f"# {name}\n\nThe {name} of {source} lifts water by [the plan]({name}.pdf) of the mill.\n"
    for source in SOURCES
    for name in ("pump", "valve", "sluice")
}
pytestmark = pytest.mark.synced(
    *SOURCES, files=FILES, summary_model="builtin/extractive", summary_max=600, summary_tokens=50
)


def _asked(client: FlaskClient, address: str, monkeypatch: pytest.MonkeyPatch) -> tuple[str, int]:
    """A page, and how many queries it takes."""
    count = 0
    real = Session._run

    def counting(self: Session, query: str, values: Any) -> Any:
        nonlocal count
        count += 1
        return real(self, query, values)

    with monkeypatch.context() as patch:
        patch.setattr(Session, "_run", counting)
        return client.get(address).text, count


def test_the_number_of_queries_does_not_depend_on_the_trees(kb: Headwater, monkeypatch: pytest.MonkeyPatch) -> None:
    """One tree is read as eight are, and all of its levels at once."""
    client = create_app(kb.settings).test_client()
    whole, of_whole = _asked(client, "/kb/kb/contents", monkeypatch)
    assert all(source in whole for source in SOURCES)
    kb.store.knowledge_base_summaries.delete_tree(kb.knowledge_base)
    every, of_every = _asked(client, "/kb/kb/contents", monkeypatch)
    one, of_one = _asked(client, "/kb/kb/contents?source=site-3", monkeypatch)
    assert [page.count("lifts water") > 0 for page in (whole, every, one)] == [True] * 3
    assert [f"pump of {source}" in every for source in SOURCES] == [True] * len(SOURCES)
    assert [f"pump of {source}" in one for source in SOURCES] == [source == "site-3" for source in SOURCES]
    assert of_every - of_whole <= 1  # whether there is a tree above the sources, and then their trees
    assert of_one <= of_every + 1


def test_a_link_in_a_summary_is_shown_as_its_text(kb: Headwater, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the pages, in the API and by the command; the stored text of a model, which made what is above, keeps it."""
    monkeypatch.setenv("HEADWATER_HOME", str(kb.settings.home))
    monkeypatch.setenv("HEADWATER_DATABASE_URL", kb.settings.database_url or "")
    kb.query("UPDATE summaries SET text = text || ' Made by [the plan](plan.md) of the mill.' RETURNING 1")
    client = create_app(kb.settings).test_client()
    (node,) = kb.store.summaries.nodes(kb.source("site-0"), depth=0, limit=1)
    assert "by [the plan](" in node.text
    api = "/api/v1/knowledge-bases/kb"
    for address in (
        "/kb/kb/contents",
        f"/kb/kb/summaries/{node.id}",
        f"{api}/tree",
        f"{api}/sources/site-0/tree",
        f"/api/v1/summary-nodes/{node.id}",
        f"/api/v1/summary-nodes/{node.id}/lineage",
    ):
        response = client.get(address)
        assert response.status_code == 200, address
        assert "by the plan of the mill" in response.text, address
        assert "](" not in response.text, address
    output = CliRunner().invoke(main, ["tree", "kb", "site-0"]).output
    assert "by the plan of the mill" in output
    assert "](" not in output


def test_whole_levels_are_shown_while_they_fit(shared: Headwater) -> None:
    """The first two in any case, but no more nodes than fit; a deeper one wholly or not at all."""
    source = shared.source("site-0")
    whole = shared.store.summaries.nodes(source, depth=12, limit=100)
    assert [node.depth for node in whole] == [0, 1, 1, 1]
    top = shared.store.knowledge_base_summaries
    every = top.nodes(shared.knowledge_base, depth=12, limit=1_000)
    for most in (1, 2, 9, 10, len(every) - 1, len(every), 1_000):
        fitting = [node for node in every if node.depth <= 1]
        for depth in range(2, 12):
            found = [node for node in every if node.depth <= depth]
            if len(found) <= most:
                fitting = found
        shown = top.top_levels(shared.knowledge_base, most=most)
        assert [node.id for node in shown] == [node.id for node in fitting[:most]]
    trees = shared.store.summaries.top_levels([shared.source(slug) for slug in reversed(SOURCES)], most=3)
    assert [(tree[0].source, len(tree)) for tree in trees] == [(slug, 3) for slug in reversed(SOURCES)]
