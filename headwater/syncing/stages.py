"""The chain that every source goes through, in order.

Belongs here: the one list. Not here: what a stage is (`stage`) or does (a module of its own each). Guarantee: a stage
comes after the one that it builds on; a new one is its module and a line here.
"""

from headwater.syncing.chunks import CHUNKS
from headwater.syncing.documents import DOCUMENTS
from headwater.syncing.embeddings import EMBEDDINGS
from headwater.syncing.stage import Stage

STAGES: tuple[Stage, ...] = (
    DOCUMENTS,
    CHUNKS,
    EMBEDDINGS,
)
