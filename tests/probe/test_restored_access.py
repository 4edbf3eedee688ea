"""Keys, browsers and links that were ended after a backup was made, once it is restored (OPS-5, API-6)."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from headwater.administration.callers import Callers, make_link
from headwater.administration.keys import create_key, hash_of, rotate_key
from headwater.domain.access import Scope
from headwater.errors import NotFoundError
from headwater.settings import Settings
from headwater.store.server.database import Database
from headwater.store.store import Store
from tests.probe.test_restore import SOURCE, empty, fill, hostile

__all__ = ["empty", "hostile"]  # fixtures
Dump = Callable[..., tuple[bytes, dict[str, int]]]
Lived = tuple[bytes, dict[str, int], dict[str, str]]

CONVERSATION = "INSERT INTO conversations (knowledge_base_id, title, share_token) VALUES (1, '', 'shared-once')"
CALLERS = Callers(Settings(home=Path("none"), cache=Path("none")))
WAYS_IN: dict[str, Callable[[Store, dict[str, str]], object]] = {
    "a key": lambda store, made: CALLERS.by_key(store, made["key"]),
    "the secret before it was rotated": lambda store, made: CALLERS.by_key(store, made["old"]),
    "a browser that logged in": lambda store, made: CALLERS.by_session(store, made["session"]),
    "a browser that opened a link": lambda store, made: CALLERS.by_session(store, made["linked"]),
    "a link that nobody has opened": lambda store, made: store.sessions.use_link(hash_of(made["link"])),
    "the link of a shared conversation": lambda store, _: store.conversations.shared("shared-once"),
}
"""What let somebody in when a backup was made, and may have been ended since."""
BROWSERS = ("a browser that logged in", "a browser that opened a link", "a link that nobody has opened")


@pytest.fixture
def lived_in(database_url: str, hostile: Dump) -> Lived:
    """A dump of a database with every way in, its rows, and the secrets."""
    store, callers = Store(Database(database_url, size=2)), CALLERS
    try:
        rotated = create_key(store, "b", Scope.READ)
        made = {"key": create_key(store, "a", Scope.ADMIN).text, "old": rotated.text, "link": make_link(store)}
        rotate_key(store, rotated.key.id)
        made["session"] = callers.log_in(store, made["key"]) or ""
        made["linked"] = callers.log_in_by_link(store, make_link(store)) or ""
    finally:
        store.close()
    return (*hostile(SOURCE, CONVERSATION), made)


def test_what_a_backup_lets_in_lets_nobody_in_after_a_restore(empty: str, lived_in: Lived) -> None:
    """A backup cannot know what was ended after it was made (OPS-5, API-6)."""
    dump, rows, made = lived_in
    closed = fill(empty, dump, rows)
    assert (closed.keys, closed.sessions, closed.shared_links) == (2, 2, 1)
    with closing(Store(Database(empty, size=2))) as store:
        assert store.keys.exist()  # so a key is needed
        assert [way for way in WAYS_IN if lets_in(way, store, made)] == []


def test_an_operator_may_keep_keys_and_links_but_no_browsers(empty: str, lived_in: Lived) -> None:
    """Whoever asks for it gets what the backup has; browsers log in again."""
    dump, rows, made = lived_in
    fill(empty, dump, rows, keeps_access=True)
    with closing(Store(Database(empty, size=2))) as store:
        assert {way for way in WAYS_IN if lets_in(way, store, made)} == set(WAYS_IN) - set(BROWSERS)


def lets_in(way: str, store: Store, made: dict[str, str]) -> bool:
    """Whether one gets in by a way."""
    try:
        return bool(WAYS_IN[way](store, made))
    except NotFoundError:
        return False
