"""Syncs of a GitHub repository (SRC-13): limits, what is touched, what a question finds.

Belongs here: the connector with a database. Not here: its rules (`unit/test_sources_github`).
"""

from collections.abc import Callable, Iterator

import pytest

from headwater.store.store import Store
from headwater.syncing.batches import Batch
from tests.github_server import REPOSITORY, GitHubServer, github_server
from tests.support import Headwater

Make = Callable[..., Headwater]
TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ0123456789"


@pytest.fixture
def hub() -> Iterator[GitHubServer]:
    """A repository with 40 issues, each with a comment, in pages of 10."""
    with github_server() as server:
        server.page_size = 10
        for number in range(1, 41):
            server.issue(number)
            server.comment(number, f"Seal {number} was replaced with grease.")
        yield server


@pytest.fixture
def kb(hub: GitHubServer, monkeypatch: pytest.MonkeyPatch, headwater: Make) -> Headwater:
    """A knowledge base with the repository's issues and discussions, not synced yet; the server wants a token."""
    monkeypatch.setenv("HEADWATER_CREDENTIAL_HUB", TOKEN)
    monkeypatch.setenv("HEADWATER_CREDENTIAL_HUB_HOST", hub.url.removeprefix("http://"))
    hub.token = TOKEN
    made = headwater()
    config = {"repository": REPOSITORY, "server": hub.url, "credential": "hub"}
    made.store.sources.create("kb", slug="issues", kind="github", config=config)
    return made


@pytest.fixture(autouse=True)
def allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sources may read loopback; to be named before whatever reads the settings."""
    monkeypatch.setenv("HEADWATER_FETCH_ALLOW", "127.0.0.1")


def test_a_server_that_limits_after_30_requests_is_waited_for(
    kb: Headwater, hub: GitHubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it says and no shorter; what was found before is written meanwhile, and people see it (SRC-13)."""
    told: list[tuple[str, int]] = []
    inside = Batch.wait

    def wait(batch: Batch, seconds: float, reason: str) -> None:
        inside(batch, seconds, reason)
        told.append((reason, len(kb.query("SELECT FROM documents"))))

    monkeypatch.setattr(Batch, "wait", wait)
    hub.limit = 30
    hub.discussion(101, {"id": "a", "body": "SAE 30 oil.", "author": {"login": "bo"}})
    done = kb.sync("issues")["issues"]
    assert (done.state, done.added, done.errors) == ("ready", 41, [])
    assert hub.early == 0
    assert [count for _, count in told] == [27]  # 30 requests: three pages of the list, 27 lists of comments
    assert "accepts no more requests" in told[0][0]
    (hit, *_) = kb.search("seal 33 replaced with grease", top_k=1)
    assert hit.uri == f"{hub.url}/{REPOSITORY}/issues/33"
    hub.limit = 0
    hub.take()
    before = kb.content()
    done = kb.sync("issues")["issues"]
    assert (done.unchanged, done.rows_written) == (41, 0)
    assert [status for _, status in hub.take()] == [304, 304, 304, 304, 200]
    assert kb.content() == before


def test_a_limit_longer_than_a_sync_waits_keeps_what_was_read(kb: Headwater, hub: GitHubServer) -> None:
    """The source is ready with an error that says when; the next sync fetches only the rest."""
    hub.limit, hub.style, hub.pause = 30, "reset", 3000
    done = kb.sync("issues")["issues"]
    assert (done.state, done.added, done.removed, len(done.errors)) == ("ready", 27, 0, 1)
    assert "accepts no more requests for 5" in done.errors[0].message
    hub.limit, hub._paused_until = 0, 0.0
    hub.take()
    done = kb.sync("issues")["issues"]
    assert (done.state, done.added, done.unchanged, done.errors) == ("ready", 13, 27, [])
    assert len([path for path, _ in hub.take() if "comments" in path]) == 13


def test_a_sync_that_is_cancelled_while_it_waits_keeps_what_was_read(
    kb: Headwater, hub: GitHubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends at once, without waiting further."""
    hub.limit, hub.pause = 30, 600
    inside = Batch.wait

    def wait(batch: Batch, seconds: float, reason: str) -> None:
        batch.write()  # a sync that is cancelled before or while it writes may lose what it read last
        cancel(kb.store)
        inside(batch, seconds, reason)

    monkeypatch.setattr(Batch, "wait", wait)
    assert kb.sync("issues")["issues"].state == "cancelled"
    assert len(kb.query("SELECT FROM documents")) == 27


def cancel(store: Store) -> None:
    """Cancel the sync that runs."""
    store.syncs.cancel(1)


@pytest.mark.dagster
def test_the_token_is_stored_nowhere(kb: Headwater, hub: GitHubServer) -> None:
    """Neither after a sync nor after one that failed: not in the databases, not in the source's folder (SRC-14)."""
    kb.sync("issues")
    hub.token = "another"
    done = kb.sync("issues")["issues"]
    assert (done.state, [error.code for error in done.errors]) == ("failed", ["FETCH_FAILED"])
    assert "does not accept the token" in done.errors[0].message
    assert TOKEN not in kb.dump()
    files = [path for path in kb.settings.home.rglob("*") if path.is_file()]
    assert all(TOKEN.encode() not in path.read_bytes() for path in files)
