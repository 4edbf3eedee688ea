"""Opening a PDF file: passwords, and what a reader is told if it cannot be opened.

Belongs here: the file as a whole. Not here: its pages. Guarantee: every failure is a `DocumentError` that says what is
wrong and what to do.
"""

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import Any, NamedTuple

from headwater.errors import DocumentError

_HEADER = b"%PDF-"
_HEADER_WITHIN = 1024  # readers accept other bytes before it
_MARKUP = re.compile(rb"\s*(?:\xef\xbb\xbf)?\s*<(?:!doctype|html|\?xml|head|body|!--)", re.IGNORECASE)
PAGES = 20_000
_LIMITS: dict[str, Any] = {
    "maximum_declared_stream_length": 100_000_000,
    "array_based_stream_maximum_output_length": 48_000_000,
    "lzw_maximum_output_length": 48_000_000,
    "run_length_maximum_output_length": 48_000_000,
    "zlib_maximum_output_length": 48_000_000,
    "stream_decoding_work_maximum_length": 100_000_000,
    "outline_maximum_entries": 10_000,
    "outline_maximum_depth": 30,
    "page_tree_maximum_entries": 3 * PAGES,
    "page_tree_maximum_depth": 60,
    "page_tree_maximum_page_entries": 500_000,
    "named_destinations_maximum_entries": 50_000,
    "named_destinations_maximum_depth": 30,
    "disable_legacy_handling": True,
}


class PdfFile(NamedTuple):
    """An open file."""

    reader: Any
    """pypdf's, which reads what the file says about itself and its pages."""
    document: Any
    """PDFium's, which reads what the pages draw."""


@contextmanager
def open_pdf(content: bytes, passwords: Sequence[str]) -> Iterator[PdfFile]:
    """Open a file for the length of a block.

    Raises:
        DocumentError: it is no PDF file, is damaged, or needs a password that was not given.
    """
    from pypdf import apply_configuration

    _check_content(content)
    with apply_configuration(**_LIMITS), _quiet():
        try:
            file = _read(content, passwords)
            pages = len(file.reader.pages)
        except (DocumentError, MemoryError):
            raise
        except Exception as error:  # a damaged file can fail anywhere in either library
            raise DocumentError(_explain_damage(error)) from error
        if not pages:
            raise DocumentError("The PDF file has no pages: it is damaged or cut off. Download or export it again.")
        try:
            yield file
        finally:
            file.document.close()


def _check_content(content: bytes) -> None:
    if not content.strip(b"\x00\t\n\r "):
        raise DocumentError("The file is empty. Download or export it again.")
    if _HEADER in content[:_HEADER_WITHIN]:
        return
    if _MARKUP.match(content[:_HEADER_WITHIN]):
        raise DocumentError(
            "The file is a web page, not a PDF file. Perhaps the page asks to log in before the download."
        )
    raise DocumentError(f"The file is not a PDF file: it does not begin with `{_HEADER.decode()}`.")


def _read(content: bytes, passwords: Sequence[str]) -> PdfFile:
    from pypdf import PdfReader
    from pypdfium2 import PdfDocument

    reader = PdfReader(BytesIO(content))
    password = next((word for word in ("", *passwords) if reader.decrypt(word)), None) if reader.is_encrypted else ""
    if password is None:
        tried = f" None of the {len(passwords)} configured passwords opens it." if passwords else ""
        raise DocumentError(
            f"The PDF file needs a password.{tried} Name it in the source, as in `passwords: [reports]`, and set it in"
            " HEADWATER_CREDENTIAL_REPORTS."
        )
    return PdfFile(reader, PdfDocument(content, password=password or None))


def _explain_damage(error: BaseException) -> str:
    from pypdf.errors import DependencyError, LimitReachedError

    if isinstance(error, DependencyError):
        return f"The PDF file is encrypted in a way that needs another package: {error}"
    if isinstance(error, LimitReachedError):
        return f"The PDF file is larger inside than files that people write, so it is not read: {_reason(error)}."
    return f"The PDF file is damaged or cut off ({_reason(error)}). Download or export it again."


def _reason(error: BaseException) -> str:
    """What a library says, on one line."""
    return " ".join((str(error) or type(error).__name__).split())[:200].rstrip(".")


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep pypdf's remarks on damaged files out of the log: one file can cause thousands."""
    logger = logging.getLogger("pypdf")
    saved = logger.disabled, logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.disabled, logger.level = saved
