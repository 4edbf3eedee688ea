"""The stages that every source goes through, in order.

Belongs here: only this list. Not here: what a stage is (`stage`) or does (its own module). Guarantee: a stage
comes after the one that it depends on; a new one needs its module and a line here.
"""

from headwater.syncing.chunks import CHUNKS
from headwater.syncing.documents import DOCUMENTS
from headwater.syncing.embeddings import EMBEDDINGS
from headwater.syncing.links import LINKS
from headwater.syncing.questions import QUESTIONS
from headwater.syncing.stage import Stage
from headwater.syncing.summary_tree import SUMMARY_TREE

STAGES: tuple[Stage, ...] = (
    DOCUMENTS,
    CHUNKS,
    LINKS,
    EMBEDDINGS,
    SUMMARY_TREE,
    QUESTIONS,
)
