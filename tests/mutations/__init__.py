"""Mutations: single wrong changes of the code that matters most, each with the tests that must notice it.

Belongs here: the lists, one module per subject, and the runner behind `make mutate`. Not here: the tests themselves.
Guarantee: a mutation is applied in a copy of the tree, never in the tree itself.
"""

from tests.mutations.chunking import CHUNKING
from tests.mutations.connecting import CONNECTING
from tests.mutations.indexing import INDEXING
from tests.mutations.mutation import Mutation
from tests.mutations.pdf import PDF
from tests.mutations.placing import PLACING
from tests.mutations.safety import SAFETY
from tests.mutations.searching import SEARCHING
from tests.mutations.syncing import SYNCING

MUTATIONS: tuple[Mutation, ...] = (
    *CHUNKING, *PDF, *PLACING, *SEARCHING, *INDEXING, *SYNCING, *CONNECTING, *SAFETY,
)  # fmt: skip
"""All of them, in the order in which they are tried."""
