"""How many processors this process may use.

Belongs here: counting them. Not here: what is done with them. Guarantee: at least one; never more than
the machine has, than the process was pinned to, or than its container was given.
"""

import math
import os
from contextlib import suppress
from pathlib import Path

_CONTAINER = Path("/sys/fs/cgroup/cpu.max")


def count_processors(limits: Path = _CONTAINER) -> int:
    """How many threads can work at the same time.

    Args:
        limits: what Linux lets a container have, as `QUOTA PERIOD` in microseconds, or `max PERIOD`.
    """
    try:
        count = len(os.sched_getaffinity(0))
    except AttributeError:  # there is no such call on a Mac
        count = os.cpu_count() or 1
    with suppress(OSError, ValueError):  # no container, an older kernel, or no limit
        quota, period = map(int, limits.read_text(encoding="ascii").split())
        count = min(count, math.ceil(quota / period))
    return max(count, 1)
