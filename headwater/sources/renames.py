"""Files that were renamed between two syncs.

Belongs here: pairing old paths with new ones. Not here: how git compares files (`headwater.fetching.git_tree`).
Guarantee: every old and every new path is in at most one pair; the same files give the same pairs.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

Compare = Callable[[Sequence[str], Sequence[str]], Mapping[str, str]]
"""Finds renamed and edited files among paths that are gone and paths that are new: the old paths by the new ones."""


def find_renames(gone: Mapping[str, str], new: Mapping[str, str], compare: Compare) -> dict[str, str]:
    """The old paths of renamed files, by their new paths.

    Args:
        gone: fingerprints of the files that are no longer there, by path.
        new: fingerprints of the files that were not there before, by path.
        compare: finds the pairs whose contents differ.
    """
    by_fingerprint: dict[str, list[str]] = defaultdict(list)
    for path in sorted(gone, reverse=True):
        by_fingerprint[gone[path]].append(path)
    sources_by_path: dict[str, str] = {}
    for path in sorted(new):
        if same := by_fingerprint[new[path]]:
            best = next((old for old in reversed(same) if _name(old) == _name(path)), same[-1])
            same.remove(best)
            sources_by_path[path] = best
    used = set(sources_by_path.values())
    unmatched = sorted(gone.keys() - used), sorted(new.keys() - sources_by_path.keys())
    if all(unmatched):
        for path, old in compare(*unmatched).items():
            if path in unmatched[1] and old in unmatched[0] and old not in used:
                sources_by_path[path] = old
                used.add(old)
    return sources_by_path


def _name(path: str) -> str:
    return path.rpartition("/")[2]
