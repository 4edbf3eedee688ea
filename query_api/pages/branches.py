"""The branch of a conversation that a page shows.

Belongs here: which turns are shown, and the other versions of each. Not here: reading turns, how they look (`turns`).
Guarantee: pure; every turn is on some branch, and a turn that is not there leaves the newest branch.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from headwater.domain.conversations import ConversationTurn

_Below = Mapping[UUID | None, Sequence[ConversationTurn]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """A turn on a branch: it is version `number` of `count`.

    `before` and `after` are the ends of the branches on which its versions beside it are, None if there are none.
    """

    turn: ConversationTurn
    number: int = 1
    count: int = 1
    before: UUID | None = None
    after: UUID | None = None


def branch(turns: Sequence[ConversationTurn], through: UUID | None = None) -> list[Shown]:
    """The turns from a beginning to an end.

    Args:
        turns: all turns of a conversation, oldest first.
        through: a turn that the branch passes through; below it, and by default, the newest turns are followed.
    """
    by_id = {turn.id: turn for turn in turns}
    by_parent: dict[UUID | None, list[ConversationTurn]] = {}
    for turn in turns:
        by_parent.setdefault(turn.parent_id if turn.parent_id in by_id else None, []).append(turn)
    if not turns:
        return []
    path = _upwards(by_id, through if through in by_id else turns[-1].id)
    while following := by_parent.get(path[-1].id):
        path.append(following[-1])
    return [
        _show_turn(turn, by_parent[turn.parent_id if turn.parent_id in by_id else None], by_parent) for turn in path
    ]


def _upwards(by_id: Mapping[UUID, ConversationTurn], end: UUID | None) -> list[ConversationTurn]:
    path = []
    while end is not None and end in by_id:
        path.append(by_id[end])
        end = by_id[end].parent_id
    return path[::-1]


def _show_turn(turn: ConversationTurn, versions: Sequence[ConversationTurn], below: _Below) -> Shown:
    place = [version.id for version in versions].index(turn.id)
    return Shown(
        turn=turn,
        number=place + 1,
        count=len(versions),
        before=_end(versions[place - 1], below) if place else None,
        after=_end(versions[place + 1], below) if place + 1 < len(versions) else None,
    )


def _end(turn: ConversationTurn, below: _Below) -> UUID:
    while following := below.get(turn.id):
        turn = following[-1]
    return turn.id
