"""Messages of syncs: about sources, documents, and workers that lost their source to another.

Belongs here: the errors that a sync keeps, and those that a worker meets. Not here: commands, HTTP.
"""

import errno
import json
import threading
import uuid
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headwater.administration.indexes import switch
from headwater.administration.sync_requests import request_sync
from headwater.domain.corpus import Lineage
from headwater.errors import (
    CancelledError,
    DocumentError,
    FencedError,
    GateFailedError,
    GoneError,
    ParserCrashedError,
    ParserLimitError,
    SyncAlreadyRunningError,
    UnsafeFileError,
)
from headwater.full_disk import disk_full_error, explain_by_full_disk
from headwater.parsing.office.docx import DocxParser
from headwater.parsing.parser import File
from headwater.parsing.registry import parse_file
from headwater.sources.markdown_tree import MarkdownTree
from headwater.store.work.worker_failures import MAX_LOST_WORKERS
from pipelines.run_failures import explain_end
from tests.limited_parsers import Obedient
from tests.messages.collecting import Collected
from tests.office_files import docx_file, encrypted, zeros
from tests.support import Headwater

_MANY = [f"docs/many/{number}.md" for number in range(30)]


def kept_errors(found: Collected, kb: Headwater, situations: dict[str, str]) -> None:
    """Keep the errors of the last sync; situations are found by a document's URI, or by a source's slug."""
    seen = set()
    for part in kb.store.syncs.get(max(sync.id for sync in kb.store.sync_history.all())).sources:
        for problem in part.errors:
            situation = situations.get(problem.uri or part.source) or situations.get(problem.code)
            if situation and situation not in seen:
                seen.add(situation)
                found.add(f"{situation}, in the result of a sync", problem.code, problem.message)
    missing = set(situations.values()) - seen
    assert not missing, missing


def full_disk(found: Collected, kb: Headwater) -> None:
    """What a command says about a disk without room, and about that of a Postgres server elsewhere."""
    no_space = OSError(errno.ENOSPC, "No space left on device", str(kb.folder / "text.md"))
    for situation, error in (
        ("A sync while the disk is full", explain_by_full_disk(no_space, kb.settings.home, is_embedded=True)),
        ("A command while the disk of the Postgres server is full", disk_full_error(None)),
    ):
        assert error is not None
        found.add(situation, error.code, str(error))


def broken(kb: Headwater) -> dict[str, str]:
    """Fill the sources with unreadable documents; returns the situations by URI, slug or code."""
    kb.write("docs/binary.md", b"\xff\xfe\x00bad\x00\x00")
    kb.write("docs/matter.md", "---\ntags: [a\n---\n# Matter\n\nText.\n")
    lines = [json.dumps({"uri": "twice", "text": f"Text {number}."}) for number in (1, 2)]
    (kb.folder / "twice.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (kb.folder / "lines.jsonl").write_text("no json\n" * 1002, encoding="utf-8")
    return {
        "binary.md": "A document that is not text",
        "matter.md": "Front matter that cannot be read",
        "twice": "A document that is there twice",
        "MORE_ERRORS": "More than 1,000 lines that are no documents",
        "gone": "A source whose folder does not exist",
    }


def emptied(found: Collected, kb: Headwater) -> None:
    """A source that lists few of its documents, so that its sync asks first; afterwards it lists them again."""
    folder, kept = kb.folder / "docs" / "many", kb.folder / "kept"
    for path in _MANY:
        kb.write(path, f"# {path}\n\nText.\n")
    kb.sync("docs")
    folder.rename(kept)
    kb.sync("docs")
    kept_errors(found, kb, {"docs": "A source that lists few of its documents"})
    kept.rename(folder)


def parser_processes(found: Collected) -> None:
    """Files that exceed the limits of their parser, end its process, or are refused."""
    for situation, order, error in (
        ("A file that takes too much memory to read", "fill 500", ParserLimitError),
        ("A file that ends the process of its parser", "crash", ParserCrashedError),
        ("A file whose parser gives an invalid answer", "forge {}", ParserCrashedError),
        ("A file that a library cannot read", "stumble", DocumentError),
    ):
        file = File(content=order.encode(), uri="a")
        found.call(situation, error, partial(parse_file, Obedient(), file))
    for situation, content, error in (
        ("A Word file that is a zip bomb", docx_file(word__document_xml=zeros(48)), UnsafeFileError),
        ("A Word file with a password", encrypted(docx_file(), "secret"), DocumentError),
    ):
        found.call(situation, error, partial(parse_file, DocxParser(), File(content=content, uri="a.docx")))


def workers(found: Collected, kb: Headwater) -> None:
    """A source that another worker is syncing, and work that was taken over, deleted or cancelled."""
    by = Lineage(run_id="run-1", code_version="0")
    vectors = np.ones((1, 384), dtype=np.float32)
    with kb.store.workers.hold_source(kb.source(), None, "run-1") as work:
        found.call(
            "A sync of a source that is being synced",
            SyncAlreadyRunningError,
            lambda: request_sync(kb.store, "kb", ["docs"], "api"),
        )
        for situation, change in (
            ("A worker whose source another has taken over", "fencing_token + 1"),
            ("A worker whose source was deleted", "-fencing_token"),
        ):
            kb.query(f"UPDATE sources SET fencing_token = {change} WHERE slug = 'docs' RETURNING id")
            found.call(
                situation,
                FencedError,
                lambda: kb.store.documents.put_embeddings(work, "m", [b"x" * 16], vectors, [1], by),
            )
    sync_id = request_sync(kb.store, "kb", ["docs"], "api").id
    (batch,) = {batch.name for batch in kb.store.syncs.name_batches(20, 4)}
    kb.store.syncs.cancel(sync_id)

    def begin() -> None:
        with kb.store.workers.hold_source(kb.source(), batch, "run-2"):
            pytest.fail("it was cancelled")

    found.call("Work that was cancelled before it began", CancelledError, begin)


def late(found: Collected, kb: Headwater, patch: pytest.MonkeyPatch) -> None:
    """A source that exceeds the time limit, and one with a model that cannot be used."""
    go_on, original = threading.Event(), MarkdownTree.fetch

    def fetch(tree: MarkdownTree) -> Iterator[Any]:
        while not go_on.wait(0.05):
            pass
        yield from original(tree)

    with patch.context() as slow:
        slow.setattr(MarkdownTree, "fetch", fetch)
        slow.setenv("HEADWATER_SOURCE_TIME_LIMIT", "1")
        (problem,) = kb.sync("more")["more"].errors
    found.add("A source that takes too long, in the result of a sync", problem.code, problem.message)
    remote = replace(kb, slug="remote")
    (problem, *_) = remote.sync()["docs"].errors
    found.add("A model without its key, in the result of a sync", problem.code, problem.message)


def lost(found: Collected, kb: Headwater) -> None:
    """Work that lost too many workers, and a run that ended too early."""
    for situation in ("A source over which too many workers were lost", "A run that ended before a source was done"):
        batch = uuid.uuid4().hex
        sync_id = kb.store.syncs.request(kb.knowledge_base.id, [kb.source()], "command_line", batch)
        if "lost" in situation:
            kb.query(
                "UPDATE sync_sources SET attempt_count = %s WHERE sync_id = %s RETURNING id", MAX_LOST_WORKERS, sync_id
            )
            kb.store.worker_failures.close_run("run", batch)
        else:
            kb.store.worker_failures.fail_rows("run", batch, explain_end([]))
        (part,) = kb.store.syncs.get(sync_id).sources
        found.add(f"{situation}, in the result of a sync", part.errors[0].code, part.errors[0].message)


def switching_and_deleting(found: Collected, kb: Headwater) -> None:
    """An index that lacks documents, and a version whose source was deleted."""
    kb.store.knowledge_bases.update("kb", settings=kb.knowledge_base.settings.model_copy(update={"language": "dutch"}))
    kb.sync("more")
    building = max(index.id for index in kb.store.health.indexes())
    found.call(
        "An index that lacks documents",
        GateFailedError,
        lambda: switch(kb.store, kb.settings, "kb", building),
    )
    answer = kb.ask("How much water does the pump lift?")
    assert answer.citations
    version = answer.citations[0].document_version_id
    kb.delete("docs")
    found.call("A cited version of a deleted source", GoneError, lambda: kb.store.versions.get(version))
    assert Path(kb.folder).is_dir()
