"""What tests of the pages share: a browser, and the server that it looks at.

Belongs here: starting both. Not here: what a visitor does (`web`). Guarantee: without a browser the tests are skipped
and say so, but in CI they fail; the browser ends before tests of other folders run in this process, because the
driver leaves a running event loop in its thread.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

import dagster as dg
import pytest

from headwater.settings import Settings
from headwater.store.store import Store
from pipelines.in_process_run import run_sync
from tests.api_server import api_server
from tests.browser.web import Web
from tests.support import Headwater, Later

if TYPE_CHECKING:
    from playwright.sync_api import Browser

playwright_api = Later("playwright.sync_api")

_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
_ARGUMENTS = ("--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars")
_MISSING = "no Chromium here: apt-get install chromium-headless-shell"

Serve = Callable[[Settings, Store, dg.DagsterInstance], Web]


def _chromium() -> str:
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        if os.environ.get("CI") == "true":
            pytest.fail(_MISSING)
        pytest.skip(_MISSING)
    return found


@pytest.fixture(scope="package")
def browser() -> Iterator["Browser"]:
    """A browser, started once for the tests of this folder."""
    path = _chromium()
    with playwright_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=list(_ARGUMENTS))
        yield opened
        opened.close()


@pytest.fixture
def serve(browser: "Browser", database_url: str) -> Iterator[Serve]:
    """Serves the pages over a store, and fails at the end if a page had a problem that the test did not expect.

    It asks for the database because pages are closed before that is dropped: one of them may still be loading.
    """
    assert database_url
    opened: list[Web] = []
    with ExitStack() as servers:

        def start(settings: Settings, store: Store, instance: dg.DagsterInstance) -> Web:
            told = servers.enter_context(api_server(settings))

            sync = partial(_elsewhere, settings, store, instance)
            opened.append(Web(url=told.url, browser=browser, store=store, work=sync))
            return opened[-1]

        yield start
        problems = [problem for web in opened for problem in web.close()]
    assert problems == []


@pytest.fixture
def web(serve: Serve, settings: Settings, store: Store, instance: dg.DagsterInstance) -> Web:
    """The pages of an empty installation of the test's own."""
    return serve(settings, store, instance)


@pytest.fixture
def kb_web(serve: Serve, kb: Headwater) -> Web:
    """The pages over the knowledge base that the module is marked with (`pytest.mark.synced`)."""
    return serve(kb.settings, kb.store, kb.instance)


def _elsewhere(settings: Settings, store: Store, instance: dg.DagsterInstance) -> int:
    """Work in a thread of its own: the driver's event loop is that of this one, and Dagster needs one too."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work, settings, store, instance).result()


def work(settings: Settings, store: Store, instance: dg.DagsterInstance) -> int:
    """Run every sync that waits in this process; returns how many sources were synced."""
    done = 0
    for batch in store.syncs.name_batches(limit=100, runs=1):
        with store.workers.hold_batch(batch.name):
            sources = [source for source in store.sources.all() if source.key in batch.keys]
            run_sync(instance, store, settings, sources, batch.name, is_full=batch.is_full)
        done += len(sources)
    return done
