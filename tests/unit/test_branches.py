"""The branch of a conversation that a page shows (CNV-1, UI-1)."""

import uuid
from datetime import UTC, datetime
from uuid import UUID

from headwater.domain.conversations import ConversationTurn
from query_api.pages.branches import branch


def turn(number: int, parent: UUID | None = None) -> ConversationTurn:
    """A turn of a conversation."""
    return ConversationTurn(
        id=uuid.UUID(int=number), parent_id=parent, question=f"question {number}", search_text="", answer="",
        state="done", is_refused=False, reason=None, error_code=None, error_detail=None, model="", usage={},
        timings_ms={}, created_at=datetime.now(UTC), vote=None, comment=None, citations=(),
    )  # fmt: skip


FIRST = turn(1)
OLD, NEW = turn(2, FIRST.id), turn(4, FIRST.id)
BELOW_OLD = turn(3, OLD.id)
TURNS = [FIRST, OLD, BELOW_OLD, NEW]


def test_the_newest_turn_decides_the_branch_unless_another_is_named() -> None:
    """Each turn knows its versions, and the ends of the branches on which they are."""
    newest = branch(TURNS)
    assert [shown.turn for shown in newest] == [FIRST, NEW]
    assert (newest[1].number, newest[1].count, newest[1].before, newest[1].after) == (2, 2, BELOW_OLD.id, None)
    old = branch(TURNS, OLD.id)
    assert [shown.turn for shown in old] == [FIRST, OLD, BELOW_OLD]
    assert (old[1].number, old[1].before, old[1].after) == (1, None, NEW.id)
    assert branch(TURNS, uuid.uuid4()) == newest
    assert branch([]) == []


def test_a_turn_whose_parent_is_gone_begins_a_branch() -> None:
    """So it can still be read."""
    lost = turn(5, uuid.uuid4())
    assert [shown.turn for shown in branch([FIRST, lost], lost.id)] == [lost]
