"""Finding out what an id names, and reading it as the API shows it.

Belongs here: the work of `show`. Not here: its arguments and texts (`showing`). Guarantee: what comes back is what the
API returns for it.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass
