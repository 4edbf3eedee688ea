"""The cost of syncs of a website: the first, and one in which nothing has changed.

    python -m bench.website ../shared/data/web/flask

Serves a folder of HTML files on loopback, with its sitemap's addresses rewritten, and syncs it twice by its sitemap and
twice as a crawl, without delay. Prints one JSON document; `requests` counts the answers by status.
"""

import argparse
import json
import os
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from bench.throwaway import sync, throwaway_home

_BASE = re.compile(rb"<loc>https?://[^/<]+/")


def main() -> None:
    """Serve the folder, sync it in a throw-away home, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", default="builtin/minilm-int8")
    arguments = parser.parse_args()
    with throwaway_home() as home, served(arguments.folder) as (url, answers):
        os.environ["HEADWATER_FETCH_ALLOW"] = "127.0.0.1"
        print(json.dumps(measure(home, url, answers, arguments.model), indent=2))


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, Counter[int]]]:
    """The folder as a site, and how often it answered with each status."""
    answers: Counter[int] = Counter()

    class Handler(SimpleHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def log_request(self, code: Any = "-", _size: Any = "-") -> None:
            """Count the answer."""
            answers[int(code)] += 1

        def do_GET(self) -> None:
            """Answer; the sitemap names this server."""
            if self.path != "/sitemap.xml":
                super().do_GET()
                return
            content = _BASE.sub(b"<loc>" + url.encode(), (folder / "sitemap.xml").read_bytes())
            self.send_response(200)
            self.send_header("Content-Type", "application/xml")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    url = f"http://127.0.0.1:{server.server_port}/"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield url, answers
    finally:
        server.shutdown()
        server.server_close()


def measure(home: Path, url: str, answers: Counter[int], model: str) -> dict[str, Any]:
    """Run the syncs and gather their figures."""
    from cli.environment import dagster_instance, environment
    from headwater.administration.knowledge_base_changes import apply
    from headwater.administration.knowledge_base_file import read_file
    from headwater.models_gateway.embedder_registry import load_embedder

    figures: dict[str, Any] = {}
    with environment() as env, dagster_instance(env.settings) as instance:
        load_embedder(model, env.settings).embed(["warm"])  # builds the model's file where it is not there yet
        for slug, mode, address in (("listed", "sitemap", f"{url}sitemap.xml"), ("crawled", "crawl", url)):
            file = home / f"{slug}.yaml"
            file.write_text(
                f"knowledge_base: {{slug: {slug}, settings: {{embedding_model: {model}}}}}\n"
                f"sources: [{{slug: site, kind: website, url: '{address}', mode: {mode}, delay: 0}}]\n"
            )
            apply(env.store, read_file(file))
            for what in ("first", "unchanged"):
                answers.clear()
                started = time.perf_counter()
                part = sync(env, instance, slug)
                figures[f"{slug}_{what}"] = {
                    "seconds": round(time.perf_counter() - started, 2),
                    "documents": part.added_count + part.unchanged_count + part.changed_count,
                    "embedded": part.embedded_count,
                    "failed": part.failed_count,
                    "requests": dict(answers),
                    "source_ms": part.duration_ms,
                    "skipped": [line.message for line in part.skipped],
                }
    return figures


if __name__ == "__main__":
    main()
