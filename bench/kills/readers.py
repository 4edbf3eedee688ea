"""Readers who look all the time, and check that what they see is wholly old or wholly new.

Belongs here: searches, answers with their citations, documents, the source's list and the counts of syncs, over HTTP.
Not here: which revisions are allowed (`ledger`). Guarantee: every request that is answered is
checked; the others are counted.
"""

import json
import random
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import httpx

from bench.kills.ledger import Ledger, Look
from bench.kills.numbered_files import SECTIONS, SENTENCE
from bench.kills.replicated_up import SLUG, SOURCE

_PAUSE_SECONDS = 0.3
_GROWING = ("embedded", "tokens", "rows_written")  # of a sync's part, while it runs; an outage begins the others again


class UnansweredError(Exception):
    """The API did not answer, or could not."""


class Reader:
    """One who looks in all ways, by turns."""

    def __init__(self, api: str, ledger: Ledger, seed: int) -> None:
        self._api = api
        self._ledger = ledger
        self._random = random.Random(seed)  # noqa: S311 - questions, no secret
        self._client = httpx.Client(timeout=60)
        self._revisions: dict[str, tuple[str, int]] = {}  # by version: the document's URI, and which of its texts
        self._counts_of_syncs: dict[tuple[int, str, int], tuple[int, ...]] = {}
        self._newest_sync = 0
        self._epoch = 0

    def read_until(self, stopped: threading.Event) -> None:
        """Look until told to stop."""
        looks: Sequence[Callable[[Look], None]] = (
            self._search_document, self._search, self._ask, self._search_document, self._read_list, self._read_status,
        )  # fmt: skip
        turn = 0
        with self._client:
            while not stopped.wait(_PAUSE_SECONDS):
                look, begin = looks[turn % len(looks)], self._ledger.begin()
                turn += 1
                try:
                    look(begin)
                    self._ledger.count(look.__name__.strip("_"))
                except UnansweredError:
                    self._ledger.count("not answered")
                except Exception as error:  # noqa: BLE001 - a reader that dies would see nothing more
                    self._ledger.report(begin, f"{look.__name__}: {type(error).__name__} {error}")

    def _request(self, method: str, path: str, body: object = None) -> httpx.Response:
        try:
            response = self._client.request(method, self._api + path, json=body)
        except httpx.TransportError as error:
            raise UnansweredError from error
        if response.status_code >= httpx.codes.INTERNAL_SERVER_ERROR:
            raise UnansweredError
        if response.status_code >= httpx.codes.BAD_REQUEST:
            raise ValueError(f"{method} {path}: {response.status_code} {response.text[:300]}")
        return response

    def _get(self, path: str) -> dict[str, Any]:
        body: dict[str, Any] = self._request("GET", path).json()
        return body

    def _search_document(self, look: Look) -> None:
        """All chunks of one document: every section is there, once, of one version."""
        uri = self._random.choice(sorted(look.floors) or ["00/w0000.md"])
        query = {"query": f"section of widget {uri[4:8]}", "top_k": 100, "filters": {"documents": [uri]}}
        for shown in self._check_passages(look, query, "search in a document"):
            sections = {int(section) for _, section, _ in SENTENCE.findall(" ".join(shown))}
            if sections != set(range(SECTIONS)):
                self._ledger.report(look, f"search in a document: {uri} has only the sections {sorted(sections)}")

    def _search(self, look: Look) -> None:
        """Passages of any documents."""
        number = self._random.randrange(len(look.floors) or 1)
        list(self._check_passages(look, {"query": f"the pump of widget {number:04}", "top_k": 30}, "search"))

    def _check_passages(self, look: Look, query: Mapping[str, Any], how: str) -> Iterator[list[str]]:
        """The texts of each document, once they are checked."""
        body = self._request(
            "POST", f"/knowledge-bases/{SLUG}/search", {**query, "group_by": "passage", "mode": "hybrid"}
        ).json()
        by_document = defaultdict(list)
        for passage in body["passages"]:
            by_document[passage["uri"]].append(passage)
        for uri, passages in by_document.items():
            versions = {passage["document_version_id"] for passage in passages}
            if len(versions) > 1:
                self._ledger.report(look, f"{how}: {uri} in {len(versions)} versions at once")
            places = [(passage["start"], passage["end"]) for passage in passages]
            if len(set(places)) < len(places):
                self._ledger.report(look, f"{how}: {uri} has a passage twice")
            for passage in passages:
                self._check_span(look, passage, passage["text"], how)
            yield [passage["text"] for passage in passages]

    def _check_span(self, look: Look, span: Mapping[str, Any], text: str | None, how: str) -> str:
        """Hold a span against the version that it names, and that against the ledger; returns the version's words."""
        version_id = span["document_version_id"]
        if version_id not in self._revisions:
            version = self._get(f"/document-versions/{version_id}")
            revision = self._ledger.find_revision(version["uri"], version["text"])
            if revision is None:
                self._ledger.report(look, f"{how}: version {version_id} of {version['uri']} has a text of no file")
                return ""
            self._revisions[version_id] = (version["uri"], revision)
        uri, revision = self._revisions[version_id]
        self._ledger.note(look, uri, revision, how)
        words = (self._ledger.find_text(uri, revision) or "")[span["start"] : span["end"]]
        if uri != span["uri"] or not words or (text is not None and words != text):
            self._ledger.report(
                look, f"{how}: {span['uri']} {span['start']}–{span['end']} is not in version {version_id}"
            )
        return words

    def _ask(self, look: Look) -> None:
        """What an answer quotes stands in the spans that it cites."""
        number = self._random.randrange(len(look.floors) or 1)
        question = {"question": f"What does section 1 of widget {number:04} turn?", "fresh": True}
        answer = self._request("POST", f"/knowledge-bases/{SLUG}/answers", question).json()
        cited = " ".join(self._check_span(look, citation, None, "answer") for citation in answer["citations"])
        quoted = set(SENTENCE.findall(answer["answer"]))
        if not quoted <= set(SENTENCE.findall(cited)):
            self._ledger.report(look, f"answer {answer['id']}: it quotes what its citations do not hold")

    def _read_list(self, look: Look) -> None:
        """Every document of the source, once, with the whole text of a file."""
        response = self._request("GET", f"/knowledge-bases/{SLUG}/sources/{SOURCE}/export")
        documents = [json.loads(line) for line in response.text.splitlines()]
        uris = [document["uri"] for document in documents]
        if len(set(uris)) < len(uris):
            self._ledger.report(look, "list: a document is there twice")
        for document in documents:
            if self._ledger.find_revision(document["uri"], document["text"]) is None:
                self._ledger.report(look, f"list: {document['uri']} has a text of no file")

    def _read_status(self, look: Look) -> None:
        """Syncs keep their order, and what they count grows."""
        syncs = self._get(f"/syncs?knowledge_base={SLUG}&limit=5")["syncs"]
        ids = [sync["id"] for sync in syncs]
        if ids != sorted(set(ids), reverse=True):
            self._ledger.report(look, f"status: syncs {ids}")
        if look.epoch != self._epoch:
            self._epoch, self._newest_sync, self._counts_of_syncs = look.epoch, 0, {}
        if ids and ids[0] < self._newest_sync:
            self._ledger.report(look, f"status: sync {self._newest_sync} is gone")
        self._newest_sync = max([self._newest_sync, *ids])
        for sync_id in ids[:1]:
            for source in self._get(f"/syncs/{sync_id}")["sources"]:
                counts = tuple(source[name] for name in _GROWING)
                key = (sync_id, source["source"], source["attempts"])
                before = self._counts_of_syncs.get(key, counts)
                if any(now < then for now, then in zip(counts, before, strict=True)):
                    self._ledger.report(look, f"status: sync {sync_id} counted {before}, then {counts} ({_GROWING})")
                self._counts_of_syncs[key] = counts


@contextmanager
def reading(api: str, ledger: Ledger, count: int, seed: int) -> Iterator[None]:
    """Some readers who look for the length of a block."""
    stopped = threading.Event()
    threads = [
        threading.Thread(target=Reader(api, ledger, seed + number).read_until, args=(stopped,), daemon=True)
        for number in range(count)
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stopped.set()
        for thread in threads:
            thread.join()
