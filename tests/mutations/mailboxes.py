"""Mutations of mailboxes as sources.

Belongs here: which messages are read, what counts as unchanged, what a server may do. Not here: the text of a message
(`parsing`). Guarantee: each wrong change here was noticed by a test.
"""

from tests.mutations.mutation import Mutation

_TESTS = "tests/integration/test_imap.py"
_CONNECTOR = "headwater/sources/imap/connector.py"

MAILBOXES = (
    Mutation(
        file=_CONNECTOR,
        old='return known_state.validator == f"{self._version(place)} {len(attached.get(uri, ()))}"',
        new="return known_state.validator.startswith(self._version(place))",
        tests=(f"{_TESTS}::test_a_maildir_is_followed",),
        why="an attachment that could not be read counts as removed",
    ),
    Mutation(
        file=_CONNECTOR,
        old="place.received < messages[uri].received",
        new="place.received > messages[uri].received",
        tests=(f"{_TESTS}::test_folders_dates_and_copies_are_chosen",),
        why="a later message with the same id takes the place of the first",
    ),
    Mutation(
        file=_CONNECTOR,
        old="            yield from mailbox.problems\n",
        new="",
        tests=(f"{_TESTS}::test_a_folder_that_cannot_be_opened_removes_nothing",),
        why="the messages of a folder that cannot be opened are removed",
    ),
    Mutation(
        file="headwater/sources/imap/server_mailbox.py",
        old="if self._statuses.get(name, status).validity != status.validity:",
        new="if False:",
        tests=(f"{_TESTS}::test_a_folder_that_is_made_again_is_read_again",),
        why="numbers of another folder of the same name are taken for messages that were read",
    ),
    Mutation(
        file="headwater/fetching/imap_connection.py",
        old="addresses = self._gate.addresses(host, port, usual=IMAP_PORTS[self._scheme])",
        new="addresses = (host,)",
        tests=(f"{_TESTS}::test_a_source_reaches_no_private_address",),
        why="a source reads mail from a server in the private network",
    ),
    Mutation(
        file="headwater/sources/imap/server_mailbox.py",
        old="and listed[folder.sent_name] == status and",
        new="and",
        tests=(f"{_TESTS}::test_a_mailbox_to_which_messages_come_all_the_time_is_whole",),
        why="a busy mailbox is called broken, and nothing leaves the index",
    ),
    Mutation(
        file="headwater/parsing/email_replies.py",
        old=" and len(_fields(lines_below)) < _MIN_FIELDS",
        new="",
        tests=("tests/unit/test_email_replies.py::test_a_short_forwarded_message_is_no_footer",),
        why="a short forwarded message loses its text",
    ),
)
