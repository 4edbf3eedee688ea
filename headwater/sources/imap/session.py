"""A session with a mail server: logging in, commands that only read, and waiting.

Belongs here: connections, secrets, commands, what a refusal means. Not here: which messages are read
(`server_mailbox`). Guarantee: folders are opened for reading alone, and no message becomes seen; the secret goes to its
own host, encrypted, and stands in no error; a server that is busy, or closes the connection, is waited for and asked
again.
"""

import imaplib
import ssl
from collections.abc import Callable, Sequence
from typing import TypeVar
from urllib.parse import urlsplit

from headwater.errors import FetchError, SourceError
from headwater.fetching.credentials import Credential
from headwater.fetching.imap_connection import IMAP_PORTS, GuardedImap
from headwater.fetching.patience import Patience
from headwater.fetching.url_guard import UrlGuard
from headwater.sources.imap.responses import (
    Data,
    Folder,
    Record,
    Status,
    quote_name,
    read_code,
    read_folders,
    read_records,
    read_statuses,
)

_BUSY_CODES = ("UNAVAILABLE", "INUSE", "LIMIT", "THROTTLED", "OVERQUOTA", "SERVERBUG")
_FIRST_WAIT_SECONDS = 5.0
_MAX_FAILURES = 5
"""Commands in a row that a server fails to answer, with waits that double between them."""
_ANSWER_BYTES = 2_000_000
_RECORD_BYTES = 1_000  # of a message in a list
_STATUS_ITEMS = "(MESSAGES UIDNEXT UIDVALIDITY)"
_Result = TypeVar("_Result")


class FolderRefusedError(FetchError):
    """The server does not open a folder."""


class MailSession:
    """One user's session with one server, which is opened again when the server closes it."""

    def __init__(self, gate: UrlGuard, url: str, credential: Credential, *, login: str, patience: Patience) -> None:
        url_parts = urlsplit(url)
        self.host = str(url_parts.hostname)
        self._scheme = url_parts.scheme
        self._port = url_parts.port or IMAP_PORTS[url_parts.scheme]
        self._gate = gate
        self._credential = credential
        self._login = login
        self._patience = patience
        self._connection: GuardedImap | None = None
        self._opened, self._validity = "", 0
        self._capabilities: frozenset[str] = frozenset()
        self._was_accepted = False

    def close(self) -> None:
        """End the session."""
        connection, self._connection, self._opened = self._connection, None, ""
        if connection is not None:
            try:
                connection.expect(_ANSWER_BYTES)
                connection.logout()
            except (imaplib.IMAP4.error, OSError, SourceError):
                connection.shutdown()

    def folders(self) -> list[tuple[Folder, Status | None]]:
        """Every folder with its status, by one command if the server can do that.

        Raises:
            SourceError: there is no list.
        """
        return self._ask(self._list_folders)

    def uids(self, folder: str, count: int) -> list[int]:
        """The messages that a folder has now, of which it said that it has about `count`."""
        return [record.uid for record in self._fetch(folder, "1:*", "(UID)", count * _RECORD_BYTES)]

    def uids_since(self, folder: str, day: str, count: int) -> set[int]:
        """The messages of a folder that arrived on a day, such as 1-Jun-2026, or later."""

        def search(connection: GuardedImap) -> set[int]:
            self._open(connection, folder)
            connection.expect(_ANSWER_BYTES + count * 12)
            data = self._check(*connection.uid("SEARCH", "SINCE", day))
            return {int(word) for line in data if isinstance(line, bytes) for word in line.split() if word.isdigit()}

        return self._ask(search)

    def describe(self, folder: str, first: int, count: int) -> list[Record]:
        """The size, the arrival and the id of the messages from a UID on."""
        items = "(UID RFC822.SIZE INTERNALDATE BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)])"
        records = self._fetch(folder, f"{first}:*", items, count * _RECORD_BYTES)
        return [record for record in records if record.uid >= first]  # n:* is the last message, whatever n is

    def messages(self, folder: str, validity: int, uids: Sequence[int], limit: int) -> list[Record]:
        """Messages with their text; those that are gone are missing.

        Raises:
            TooLargeError: they have more than `limit` bytes. FetchError: their UIDs mean other messages now.
        """
        return self._fetch(folder, ",".join(map(str, uids)), "(UID BODY.PEEK[])", limit, validity=validity)

    def _fetch(self, folder: str, uids: str, items: str, limit: int, *, validity: int | None = None) -> list[Record]:
        def fetch(connection: GuardedImap) -> list[Record]:
            self._open(connection, folder)
            if validity is not None and self._validity != validity:
                raise FetchError(
                    f"{self.host} numbered a folder anew while it was read. Nothing was removed. Sync again."
                )
            connection.expect(limit + _ANSWER_BYTES)
            return list(read_records(self._check(*connection.uid("FETCH", uids, items))))

        return self._ask(fetch)

    def _list_folders(self, connection: GuardedImap) -> list[tuple[Folder, Status | None]]:
        connection.expect(20 * _ANSWER_BYTES)
        special_use = "SPECIAL-USE " if "SPECIAL-USE" in self._capabilities else ""
        is_told_at_once = "LIST-STATUS" in self._capabilities
        options = (f"RETURN ({special_use}STATUS {_STATUS_ITEMS})",) if is_told_at_once else ()
        self._check(*connection.xatom("LIST", '""', '"*"', *options))
        folders = read_folders(connection.response("LIST")[1])
        statuses = read_statuses(connection.response("STATUS")[1])
        for folder in () if is_told_at_once else folders:
            if "\\noselect" not in folder.flags and _is_sendable(folder.sent_name):
                typ, data = connection.status(quote_name(folder.sent_name), _STATUS_ITEMS)
                statuses |= read_statuses(data if typ == "OK" else ())
        return [(folder, statuses.get(folder.sent_name)) for folder in folders]

    def _open(self, connection: GuardedImap, folder: str) -> None:
        if self._opened == folder:
            return
        if not _is_sendable(folder):
            raise FolderRefusedError("its name has letters that IMAP does not allow")
        self._opened = ""
        connection.expect(_ANSWER_BYTES)
        typ, data = connection.select(quote_name(folder), readonly=True)
        if typ != "OK":
            self._check_code(_text(data))
            raise FolderRefusedError(f"the server does not open it ({self._show(_text(data))})")
        validity = _text(connection.response("UIDVALIDITY")[1])
        self._validity = int(validity) if validity.isdecimal() else 0
        self._opened = folder

    def _ask(self, command: Callable[[GuardedImap], _Result]) -> _Result:
        """Run a command; again, after a wait, if the server closes the connection or is busy.

        Raises:
            SourceError: it never answers, or it does not accept the credential.
        """
        wait = _FIRST_WAIT_SECONDS
        for failure in range(1, _MAX_FAILURES + 1):
            try:
                return command(self._connection or self._connect())
            except ssl.SSLCertVerificationError as error:
                raise FetchError(
                    f"The certificate of {self.host} cannot be verified ({error.verify_message}). If it is signed by"
                    " an authority of your own, name its file with SSL_CERT_FILE."
                ) from None
            except (_BusyError, imaplib.IMAP4.abort, OSError) as error:
                reason = self._show(_reason(error))
                self._drop()
                if isinstance(error, OSError) and not self._was_accepted:
                    raise FetchError(
                        f"{self.host} could not be reached on port {self._port} ({reason}). Check `url`, or try again"
                        " later."
                    ) from None
            except FolderRefusedError:
                raise
            except (imaplib.IMAP4.error, ValueError, TypeError, LookupError, AttributeError) as error:
                self._drop()  # imaplib reads a hostile answer with few checks
                raise FetchError(
                    f"{self.host} refuses a command, or answers something that is not IMAP"
                    f" ({self._show(_reason(error))}). Nothing was removed. Sync again later."
                ) from None
            except SourceError:
                self._drop()
                raise
            if failure < _MAX_FAILURES:
                self._patience.wait(wait, self.host)
                wait *= 2
        raise FetchError(
            f"{self.host} ended {_MAX_FAILURES} connections in a row without an answer ({reason}). What was read is"
            " kept, and nothing was removed. Sync again later."
        )

    def _connect(self) -> GuardedImap:
        connection = GuardedImap(self._gate, self._scheme, self.host, self._port)
        try:
            connection.expect(_ANSWER_BYTES)
            self._log_in(connection)
            told = connection.response("CAPABILITY")[1]  # imaplib keeps those of before the login
            words = _text(told) or _text(connection.capability()[1])
            self._capabilities = frozenset(words.upper().split())
        except BaseException:
            connection.shutdown()
            raise
        self._connection, self._was_accepted = connection, True
        return connection

    def _log_in(self, connection: GuardedImap) -> None:
        """Log in with a password or a token.

        Raises:
            SourceError: it does not accept it.
        """
        user, _, secret = self._credential.secret.partition(":")
        if self._login == "xoauth2":
            mechanism, sent = "XOAUTH2", f"user={user}\x01auth=Bearer {secret}\x01\x01"
        else:
            mechanism, sent = "PLAIN", f"\x00{user}\x00{secret}"
        if self._login == "password" and "AUTH=PLAIN" not in connection.capabilities:
            if "LOGINDISABLED" in connection.capabilities or not self._credential.secret.isascii():
                raise SourceError(
                    f"{self.host} accepts no password. Use login: xoauth2 with a token, if it offers that."
                )
            begin: Callable[[], tuple[str, Sequence[str | bytes]]] = lambda: connection.login(quote_name(user), secret)  # noqa: E731
        else:
            answers = iter((sent.encode(),))  # an error of XOAUTH2 is a challenge that wants an empty answer
            begin = lambda: connection.authenticate(mechanism, lambda _: next(answers, b""))  # noqa: E731
        try:
            begin()
        except imaplib.IMAP4.abort:
            raise
        except imaplib.IMAP4.error as error:
            text = _reason(error)
            self._check_code(text)
            raise self._refusal_error(text) from None

    def _refusal_error(self, text: str) -> SourceError:
        reason, name = self._show(text), self._credential.name
        if self._was_accepted:
            return SourceError(
                f"{self.host} no longer accepts the credential {name} ({reason}). Renew it, and sync again. What was"
                " read is kept, and nothing was removed."
            )
        kind = "user:token" if self._login == "xoauth2" else "user:password, often with an app password"
        return SourceError(f"{self.host} does not accept the credential {name} ({reason}). Its secret must be {kind}.")

    def _check(self, typ: str, data: Sequence[Data]) -> Sequence[Data]:
        if typ != "OK":
            self._check_code(_text(data))
            raise imaplib.IMAP4.error(_text(data))
        return data

    def _check_code(self, text: str) -> None:
        if read_code(text) in _BUSY_CODES:
            raise _BusyError(text)

    def _drop(self) -> None:
        connection, self._connection, self._opened = self._connection, None, ""
        if connection is not None:
            connection.shutdown()

    def _show(self, text: str) -> str:
        """What a server said, as one short line without the secret."""
        return " ".join(self._credential.hidden(text).split())[:200] or "it says nothing"


class _BusyError(Exception):
    """The server accepts no command for now."""


def _is_sendable(name: str) -> bool:
    return name.isascii() and name.isprintable()


def _text(data: Sequence[object]) -> str:
    texts = [item.decode("utf-8", "replace") if isinstance(item, bytes) else item for item in data]
    return " ".join(text for text in texts if isinstance(text, str))


def _reason(error: Exception) -> str:
    """What the server said, which imaplib passes on as bytes."""
    message = error.args[0] if error.args else ""
    return message.decode("utf-8", "replace") if isinstance(message, bytes) else str(error)
