"""Mutations: single wrong changes of the code that matters most, each with the tests that must notice it.

Belongs here: the lists, one module per subject, and the runner behind `make mutate`. Not here: the tests themselves.
Guarantee: a mutation is applied in a copy of the tree, never in the tree itself.
"""

from tests.mutations.access import ACCESS
from tests.mutations.answering import ANSWERING
from tests.mutations.chunking import CHUNKING
from tests.mutations.connecting import CONNECTING
from tests.mutations.fetching import FETCHING
from tests.mutations.folders import FOLDERS
from tests.mutations.generative import GENERATIVE
from tests.mutations.indexing import INDEXING
from tests.mutations.links import LINKS
from tests.mutations.mailboxes import MAILBOXES
from tests.mutations.models import MODELS
from tests.mutations.mutation import Mutation
from tests.mutations.offering import OFFERING
from tests.mutations.office import OFFICE
from tests.mutations.parsing import PARSING
from tests.mutations.pdf import PDF
from tests.mutations.placing import PLACING
from tests.mutations.programs import PROGRAMS
from tests.mutations.questions import QUESTIONS
from tests.mutations.quoting import QUOTING
from tests.mutations.safety import SAFETY
from tests.mutations.searching import SEARCHING
from tests.mutations.syncing import SYNCING
from tests.mutations.transcripts import TRANSCRIPTS
from tests.mutations.websites import WEBSITES
from tests.mutations.widgets import WIDGETS

MUTATIONS: tuple[Mutation, ...] = (
    *CHUNKING, *PLACING, *SEARCHING, *INDEXING, *SYNCING, *CONNECTING, *SAFETY, *FETCHING, *FOLDERS, *PARSING, *PDF,
    *MODELS, *QUESTIONS, *QUOTING, *GENERATIVE, *ANSWERING, *OFFERING, *WEBSITES, *PROGRAMS, *LINKS, *ACCESS, *WIDGETS,
    *MAILBOXES, *OFFICE, *TRANSCRIPTS,
)  # fmt: skip
"""All of them, in the order in which they are tried."""
