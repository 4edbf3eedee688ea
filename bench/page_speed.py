"""What a reader of the pages waits for: the server's time, and scrolling through a long conversation.

    python -m bench.page_speed --documents 2000 --turns 200

It makes 100 knowledge bases. One of them has documents, a long one among them, and a conversation. Then it serves the
API as `headwater serve` does, and prints one JSON document. For each page this has the median and the 95th percentile
of the server's time in milliseconds, and the size of the HTML; for the conversation, shown whole in Chromium, it has
the times between frames while it is scrolled. It needs the packages of `dev`, and Chromium. Use ratios: machines vary.
"""

import argparse
import json
import re
import shutil
import statistics
import time
import urllib.request
from pathlib import Path
from typing import Any

from bench.end_to_end import served
from bench.throwaway import sync, throwaway_home

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_QUESTION = "How many litres does pump {} lift?"
_FRAMES = """async () => {
    const times = []; let last = performance.now();
    for (let step = 0; step < 240; step += 1) {
        scrollBy(0, step < 120 ? -160 : 160);
        await new Promise(requestAnimationFrame);
        const now = performance.now(); times.push(now - last); last = now;
    }
    return times;
}"""


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=2_000)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--chunks", type=int, default=5_000, help="of the long document")
    parser.add_argument("--requests", type=int, default=40)
    arguments = parser.parse_args()
    with throwaway_home() as home:
        talk, document, chunk = _fill(home, arguments.documents, arguments.turns, arguments.chunks)
        with served() as port:
            url = f"http://127.0.0.1:{port}"
            pages = ["/", "/kb/bench/chat", f"/kb/bench/chat/{talk}", "/kb/bench/sources", "/kb/bench/documents",
                     f"/kb/bench/documents/{document}",
                     f"/kb/bench/documents/{document}?chunk={chunk}", "/kb/bench/status"]  # fmt: skip
            found = {_named(page): _timed(url + page, arguments.requests) for page in pages}
            print(
                json.dumps({"pages": found, "scrolling_ms": _scrolled(f"{url}/kb/bench/chat/{talk}?all=1")}, indent=2)
            )


def _named(page: str) -> str:
    return _ID.sub("<id>", page)


def _fill(home: Path, documents: int, turns: int, chunks: int) -> tuple[str, str, str]:
    """Make the knowledge bases; returns the ids of the conversation, the long document and a chunk in its middle."""
    from cli.environment import dagster_instance, environment
    from headwater.administration.knowledge_base_changes import apply
    from headwater.administration.knowledge_base_file import KnowledgeBaseSpec, SourceSpec
    from headwater.administration.knowledge_bases import create_knowledge_base
    from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
    from headwater.settings import Settings
    from headwater.store.server.database_urls import database_url
    from headwater.store.server.migrations import migrate
    from query_api.app import create_app

    migrate(database_url(Settings.from_env()))
    folder = home / "documents"
    folder.mkdir()
    for number in range(documents):
        (folder / f"pump{number}.md").write_text(f"# Pump {number}\n\nPump {number} lifts {number + 3} litres.\n" * 3)
    part = "The pump of this hall lifts water and is cleaned with soft soap every week. " * 8
    (folder / "zz-long.md").write_text("\n\n".join(f"## Hall {number}\n\n{part}" for number in range(chunks)))
    with environment() as env, dagster_instance(env.settings) as instance:
        settings = KnowledgeBaseSettings(embedding_model="builtin/hash")
        source = SourceSpec(slug="docs", kind="markdown_tree", config={"path": str(folder)})
        apply(
            env.store,
            KnowledgeBaseSpec(slug="bench", name="Bench", description="", settings=settings, sources=(source,)),
        )
        sync(env, instance, "bench")
        for number in range(99):
            create_knowledge_base(env.store, f"kb{number}", settings=settings)
        client = create_app(env.settings).test_client()
        talk = _posted(client, "/api/v1/knowledge-bases/bench/conversations", {})["id"]
        for number in range(turns):
            body = {"question": _QUESTION.format(number), "conversation": talk}
            _posted(client, "/api/v1/knowledge-bases/bench/answers", body)
        (long,) = env.store.overviews.all_documents(env.store.knowledge_bases.get("bench"), text="zz-long")
        version = env.store.versions.document(long.id).newest_version_id
        found = env.store.versions.chunks_of(version, most=2 * chunks, groups=1).groups
        return str(talk), str(long.id), str(found[len(found) // 2].id)


def _posted(client: Any, path: str, body: dict[str, Any]) -> dict[str, Any]:
    response = client.post(path, json=body)
    if response.status_code not in (200, 201):
        raise SystemExit(f"{path} answered {response.status_code}: {response.text}")
    found: dict[str, Any] = response.get_json()
    return found


def _timed(url: str, count: int) -> dict[str, float]:
    times, size = [], 0
    for _ in range(count):
        started = time.perf_counter()
        with urllib.request.urlopen(url) as response:  # noqa: S310 - our own
            size = len(response.read())
        times.append((time.perf_counter() - started) * 1000)
    times.sort()
    return {"p50": round(statistics.median(times), 1), "p95": round(times[int(count * 0.95) - 1], 1), "bytes": size}


def _scrolled(url: str) -> dict[str, float]:
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(url, wait_until="load")
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
        times = sorted(page.evaluate(_FRAMES))
        browser.close()
    return {"p50": round(statistics.median(times), 1), "p95": round(times[int(len(times) * 0.95)], 1),
            "most": round(times[-1], 1)}  # fmt: skip


if __name__ == "__main__":
    main()
