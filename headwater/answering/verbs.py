"""Verbs of actions, and their opposites: `lock` does not answer how to unlock.

Belongs here: a few pairs and groups of common English verbs of instructions. Not here: how much they count
(`fitting`). Guarantee: pure; a verb that is not listed has no opposite and no synonym.
"""

from headwater.understanding.words import stem

_OPPOSITES = """
enable allow activate on | disable forbid block prevent deactivate off
install add create register attach | uninstall remove delete destroy unregister deregister detach drop purge
start run launch begin resume | stop halt end kill terminate shut pause suspend
lock freeze | unlock unfreeze
import upload push restore load | export download pull backup dump
encrypt encode | decrypt decode
send post | receive accept
open mount connect join | close unmount disconnect leave
upgrade | downgrade rollback
login | logout
show unhide | hide
subscribe | unsubscribe
"""
_SYNONYMS = """
create add make new generate register
delete remove drop destroy uninstall purge
change update edit modify set configure adjust
show list view display see check inspect
start run launch execute
stop halt kill terminate shut prevent disable block lock forbid
install setup
get obtain receive fetch retrieve access request issue
upgrade update
copy duplicate clone
rename move
"""


def _stems(words: str) -> frozenset[str]:
    return frozenset(map(stem, words.split()))


_PAIRS = tuple(
    (_stems(one), _stems(other)) for one, other in (line.split("|") for line in _OPPOSITES.strip().splitlines())
)
_GROUPS = tuple(map(_stems, _SYNONYMS.strip().splitlines()))


def opposites(words: set[str] | frozenset[str]) -> frozenset[str]:
    """The stems of the verbs that do the opposite of those among some stems."""
    found: set[str] = set()
    for one, other in _PAIRS:
        found |= (other if words & one else frozenset()) | (one if words & other else frozenset())
    return frozenset(found - words)


def synonyms(words: set[str] | frozenset[str]) -> frozenset[str]:
    """The stems of the verbs among some stems, and of those that mean the same."""
    return frozenset().union(*(group for group in _GROUPS if words & group))
