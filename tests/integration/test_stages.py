"""A stage that fails holds back those that build on it, and no others (OPS-2)."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from uuid import UUID

import pytest

from headwater.chunking.chunker import chunk_settings, settings_hash
from headwater.domain.corpus import Lineage
from headwater.errors import FencedError, SourceError
from headwater.syncing import embeddings
from headwater.syncing.flow import Flow
from headwater.syncing.interruption import Watch
from headwater.syncing.publisher import Publisher
from headwater.syncing.source_job import SourceJob
from headwater.syncing.stage import Digest, Stage, StageWork
from headwater.syncing.stages import STAGES
from tests.support import Headwater

Make = Callable[..., Headwater]
FILES = {f"{n}.md": f"# Pump {n}\n\nPump {n} lifts water.\n" for n in range(3)}


class Counting(StageWork):
    """Counts the documents that it is given, and how often it completes and settles."""

    def __init__(self, job: SourceJob, hand_on: Callable[[list[UUID]], None]) -> None:
        """Begin."""
        super().__init__(job, hand_on)
        self.taken: list[UUID] = []
        self.completed = self.settled = 0

    def take(self, document_ids: Sequence[UUID]) -> None:
        """Count documents."""
        self.taken += document_ids

    def complete(self) -> None:
        """Count."""
        self.completed += 1

    def settle(self) -> None:
        """Count."""
        self.settled += 1

    def digest(self, parent_version: str) -> Digest:
        """As the parent's."""
        return Digest(parent_version, len(self.taken))


class Failing(Counting):
    """Fails when it gets its turn."""

    def complete(self) -> None:
        """Fail."""
        raise ValueError("no summaries today")


class Refusing(Counting):
    """Fails at the first documents that it is given."""

    def take(self, document_ids: Sequence[UUID]) -> None:
        """Fail."""
        raise ValueError(f"not these {len(document_ids)}")


def _stage(name: str, parent: str, work: type[StageWork] = Counting) -> Stage:
    return Stage(name=name, parent=parent, doing=name, description=name, work=work)


@contextmanager
def _flow(kb: Headwater, stages: Sequence[Stage]) -> Iterator[tuple[Flow, SourceJob]]:
    """A source's documents on their way through some stages, all of them chosen."""
    chunking = chunk_settings(kb.knowledge_base.settings)
    indexes = kb.store.search_indexes.ensure(
        kb.knowledge_base, dimensions=384, chunk_settings=chunking, settings_hash=settings_hash(chunking)
    )
    with kb.store.workers.hold_source(kb.source(), None, "run") as work, Publisher(kb.store, work, "run") as publisher:
        job = SourceJob(
            store=kb.store,
            settings=kb.settings,
            knowledge_base=kb.knowledge_base,
            indexes=indexes,
            work=work,
            lineage=Lineage(run_id="run", code_version="1"),
            watch=Watch(kb.store, work, 0),
            publisher=publisher,
        )
        yield Flow(job, [stage.name for stage in stages], stages), job


def _work(flow: Flow, stage: Stage) -> Counting:
    work = flow.work(stage)
    assert isinstance(work, Counting)
    return work


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each document is written, and passed on, alone."""
    monkeypatch.setattr("headwater.syncing.flow.WINDOW", 1)
    monkeypatch.setattr("headwater.syncing.batches._BATCH", 1)


@pytest.mark.usefixtures("at_once")
def test_a_stage_beside_one_that_fails_has_its_turn(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that does not answer holds back what builds on the vectors, and neither the stages before nor beside."""

    def dying(*_: object) -> None:
        raise ConnectionError("the model is away")

    kb = headwater(files=FILES)
    beside, below = _stage("beside", "chunks"), _stage("below", "embeddings")
    monkeypatch.setattr(embeddings, "_embed", dying)
    with _flow(kb, (*STAGES, below, beside)) as (flow, job):
        flow.run()
        held_back = [stage.name for stage in (*STAGES, below, beside) if flow.is_held_back(stage)]
        assert held_back == ["embeddings", "below"]
        assert (len(_work(flow, beside).taken), _work(flow, beside).completed) == (3, 1)
        assert (_work(flow, below).completed, _work(flow, below).settled) == (0, 1)
        with pytest.raises(ConnectionError, match="the model is away"):
            flow.raise_failure()
    assert job.counts.errors == []
    assert kb.query("SELECT count(*) AS n FROM chunk_sets")[0]["n"] == 3


@pytest.mark.usefixtures("at_once")
def test_a_stage_that_fails_at_a_portion_keeps_no_document_from_being_read(headwater: Make) -> None:
    """The stage gets no more documents; independent stages publish theirs, and the reason is reported."""
    kb = headwater(files=FILES)
    refusing, below = _stage("refusing", "documents", Refusing), _stage("below", "refusing")
    with _flow(kb, (STAGES[0], refusing, below, *STAGES[1:])) as (flow, job):
        flow.run()
        assert [flow.is_held_back(stage) for stage in (*STAGES, refusing, below)] == [False] * len(STAGES) + [True] * 2
        assert (_work(flow, refusing).completed, _work(flow, below).taken) == (0, [])
        with pytest.raises(ValueError, match="not these 1"):
            flow.raise_failure()
    assert (job.counts.read, job.counts.failed) == (3, 0)
    assert kb.query("SELECT count(*) AS n FROM published_documents")[0]["n"] == 3


def test_of_two_failures_the_second_is_an_error_too(headwater: Make) -> None:
    """The first error is raised, so that the source fails; the other is reported too."""
    one, other = _stage("one", "documents", Failing), _stage("other", "chunks", Failing)
    with _flow(headwater(files=FILES), (*STAGES, one, other)) as (flow, job):
        flow.run()
        with pytest.raises(ValueError, match="no summaries today"):
            flow.raise_failure()
    assert [(error.code, error.message) for error in job.counts.errors] == [
        (SourceError.code, "other: no summaries today")
    ]


def test_an_overtaken_sync_stops_at_once(headwater: Make) -> None:
    """No stage after the one that noticed has its turn: another sync is at work (KB-3)."""

    class Overtaken(Counting):
        def complete(self) -> None:
            raise FencedError

    kb = headwater(files=FILES)
    first, second = _stage("first", "sources", Overtaken), _stage("second", "sources")
    with _flow(kb, (first, second)) as (flow, _):
        with pytest.raises(FencedError):
            flow.run()
        assert _work(flow, second).completed == 0


def test_a_stage_that_searches_read_refreshes_the_knowledge_base(headwater: Make) -> None:
    """Its data version is part of what the search index depends on; those below it are in its own version."""
    kb = headwater(files=FILES)
    kb.sync()
    digests = [kb.store.knowledge_bases.index_digest("kb")[0]]
    for stage, version in (("documents", "new"), ("questions", "new"), ("new_stage", "old"), ("new_stage", "new")):
        kb.store.workers.report_stage(kb.source(), stage, version, "run")
        digests.append(kb.store.knowledge_bases.index_digest("kb")[0])
    assert digests[0] == digests[1] == digests[2]
    assert len(set(digests[2:])) == 3
