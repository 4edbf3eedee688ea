"""Nothing is lost, doubled or half visible when parts of an installation are killed while it syncs (REL-1, OPS-4).

Belongs here: a short campaign on a whole `headwater up` with a replica, and whether its readers would notice. Not here:
the long one (`bench.kill_campaign`). Guarantee: every process that a test starts is gone at its end.
"""

import pytest

from bench.kill_campaign import campaign
from bench.kills.ledger import Ledger
from bench.kills.victims import FAILOVER


@pytest.mark.servers
@pytest.mark.timeout(1200)
def test_what_is_killed_while_readers_look_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The walreceiver, then the first server, whose replica is promoted.

    Readers see each document wholly old or wholly new, and never one that is deleted; the rows are those of a first
    sync of the files, and a second sync writes none.
    """
    for name in ("OPENAI_API_BASE", "OPENAI_API_KEY", "HEADWATER_HOME", "HEADWATER_CACHE", "HEADWATER_DATABASE_URL"):
        monkeypatch.setenv(name, "")  # restored afterwards
    with campaign(20, 1, workers=1, delay=0.3, readers=2) as (rounds, ledger):
        turn = rounds.kill(("walreceiver", FAILOVER), 2.0, ways=("command",))
    assert all(turn.victims.values())
    assert turn.differences == []
    assert turn.written_again == 0
    assert ledger.violations == []
    assert ledger.counts["search_document"] > 0
    assert ledger.counts["ask"] > 0


def test_the_ledger_notices_what_must_not_be_seen() -> None:
    """An older revision than one that was seen, and a document after its deletion; but not by a look begun before."""
    ledger = Ledger({"a": ["old", "new", None]})
    early = ledger.begin()
    ledger.note(early, "a", 1, "search")
    ledger.note(early, "a", 0, "search")
    assert ledger.violations == []
    ledger.note(ledger.begin(), "a", 0, "search")
    assert ledger.violations == ["search: a at revision 0, after it was at revision 1"]
    ledger.settle()
    ledger.note(ledger.begin(), "a", 1, "search")
    assert ledger.violations[1:] == ["search: a at revision 1, after it was deleted"]


def test_the_ledger_counts_what_a_promotion_undoes() -> None:
    """The new first server may lack the end of the log; what was seen across the promotion says nothing."""
    ledger = Ledger({"a": ["old", "new"]})
    across = ledger.begin()
    ledger.note(across, "a", 1, "search")
    ledger.forget()
    ledger.report(across, "anything")
    ledger.note(ledger.begin(), "a", 0, "search")
    assert ledger.violations == []
    assert ledger.counts["went back"] == 1
