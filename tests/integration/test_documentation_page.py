"""The documentation that links in Dagster lead to (UI-3)."""

import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from headwater.settings import REPOSITORY, Settings
from query_api.app import create_app
from query_api.pages.documentation import render_documentation

PAGES = sorted((REPOSITORY / "docs").glob("*.md"))


@pytest.fixture
def client(settings: Settings) -> FlaskClient:
    """The API over the test's database."""
    return create_app(settings).test_client()


def test_links_between_pages_lead_to_a_page_and_to_its_headings() -> None:
    """Whatever page a link of Dagster leads to, all that it links to in the documentation is there."""
    shown = {page.name: render_documentation(page) for page in PAGES}
    assert len(shown) > 20
    anchors = {name: set(re.findall(r'<h\d id="([^"]+)"', html)) for name, (_, html) in shown.items()}
    dead = []
    for name, (title, html) in shown.items():
        assert title
        for target in re.findall(r'href="((?:[a-z0-9-]+\.md)?(?:#[^"]*)?)"', html):
            page, _, anchor = target.partition("#")
            if anchor and anchor not in anchors[page or name]:
                dead.append((name, target))
    assert dead == []


def test_a_page_is_shown_as_text_and_runs_nothing(tmp_path: Path) -> None:
    """HTML in a page stays text, and a picture is its description."""
    page = tmp_path / "page.md"
    page.write_text("<!-- not\nshown -->\n# `A` & B\n\n<script>alert(1)</script> ![A pump](images/x.png)\n")
    title, html = render_documentation(page)
    assert title == "A & B"
    assert '<h1 id="a--b">' in html
    assert "&lt;script&gt;" in html
    assert "not\nshown" not in html
    assert "A pump" in html
    assert "<img" not in html


@pytest.mark.parametrize("name", ["none.md", "..%2FREADME.md", "architecture", "images", "Syncing.md"])
def test_only_pages_are_shown(client: FlaskClient, name: str) -> None:
    """No other file, wherever it is."""
    found = client.get(f"/docs/{name}", headers={"Host": "127.0.0.1"})
    assert found.status_code == 404


def test_a_page_is_a_page_like_the_others(client: FlaskClient) -> None:
    """With its title."""
    found = client.get("/docs/syncing.md", headers={"Host": "127.0.0.1"})
    assert found.status_code == 200
    assert "<title>Sync" in found.text
    assert 'id="when-the-database-is-unavailable"' in found.text
