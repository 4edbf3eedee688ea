"""Decoding the bytes of a web page, and building its tree.

Belongs here: the encoding of HTML, the tree. Not here: text files (`text`), what the tree means. Guarantee: bytes of
any kind give a tree or a `DocumentError`; the work is linear in the bytes.
"""

import codecs
import re
from typing import Any

from headwater.errors import DocumentError, TooLargeError
from headwater.parsing.encodings import find_superset
from headwater.parsing.text import decode

_SIZE_LIMIT = 20_000_000
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_HEAD = 2_048  # bytes in which a page names its encoding; browsers look at 1,024
_PARAMETER = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_META = re.compile(rb"<meta\s[^>]{0,500}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_DECLARATION = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{1,40})[\"']", re.IGNORECASE)
_SEVEN_BITS = ("iso-2022", "hz", "utf-16", "utf-32")  # their bytes are also valid UTF-8
_NOT_TEXT = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127], " ")
_VALUE = r"=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s\"'>][^\s>]*+)"
_TAG = re.compile(rf"<[a-zA-Z](?:[^>=]++|{_VALUE}|=)*+")  # a quotation mark elsewhere is a slip, and opens nothing
_ATTRIBUTE = re.compile(r"[\s/][^\s/=]")
_LONG_TAG = 4_000  # characters of a tag whose attributes are counted
_MAX_TAGS = 200_000  # each takes up to 30 µs and 600 bytes
_MAX_ATTRIBUTES = 1_000  # of one element: building a tree takes the square of them
_MAX_SCRIPT_WORDS = 10_000  # behind "i<n" in a script, which looks like a tag; as attributes, they would take a second
_XML_START = re.compile(r"^\s*<\?xml[^>]{0,500}\?>", re.IGNORECASE)
_XHTML = re.compile(r"^\s*(?:<\?xml|<!DOCTYPE[^>]{0,200}XHTML)|^[^>]{0,500}<html[^>]{0,500}xmlns=", re.IGNORECASE)
_CLOSED = re.compile(r"<(?!(?:br|hr|img|input|meta|link|area|base|col|embed|param|source|track|wbr)\b)"
                     r"(?P<name>[a-zA-Z][\w:-]{0,30})(?P<rest>(?:\s[^<>]{0,2000})?)/>")  # fmt: skip


def html_text(content: bytes, media_type: str = "") -> str:
    """Decode a page: by its byte order mark, its media type's charset, its own declaration, else by a guess.

    Raises:
        DocumentError: it is too large, or not text.
    """
    if len(content) > _SIZE_LIMIT:
        raise DocumentError(f"The page is larger than {_SIZE_LIMIT // 1_000_000} MB. Divide it into smaller pages.")
    encodings = _list_encodings(content, media_type)
    for name in encodings if encodings and encodings[0].startswith(_SEVEN_BITS) else ["utf-8", *encodings]:
        try:
            return _readable(content.decode(name))
        except (LookupError, UnicodeError):
            continue
    if encodings and _is_encoding(encodings[0]):  # a few wrong bytes are no reason to lose a page
        return _readable(content.decode(encodings[0], errors="replace"))
    return _readable(decode(content))


def html_tree(text: str) -> Any:
    """Build a page's tree; its root is the element `html`.

    Raises:
        DocumentError: there is nothing in it. TooLargeError: there is too much.
    """
    from lxml import etree, html

    if text.count("<") > _MAX_TAGS:
        raise TooLargeError(f"The page has more than {_MAX_TAGS:,} tags. Divide it into smaller pages.")
    if _XHTML.search(text[:3_000]):
        text = _CLOSED.sub(r"<\g<name>\g<rest>></\g<name>>", text)
    for tag in _TAG.finditer(text):
        is_long = tag.end() - tag.start() > _LONG_TAG
        count = len(_ATTRIBUTE.findall(re.sub(_VALUE, "= ", tag[0]))) if is_long else 0
        if count > _MAX_ATTRIBUTES and (count > _MAX_SCRIPT_WORDS or not _is_in_script(text, tag.start())):
            raise DocumentError(f"An element of the page has more than {_MAX_ATTRIBUTES:,} attributes.")
    parser = html.HTMLParser(huge_tree=True, remove_pis=True)
    try:
        tree = html.document_fromstring(_XML_START.sub("", text), parser=parser)
    except (etree.LxmlError, ValueError, AssertionError) as error:
        raise DocumentError("The page is empty, or not HTML.") from error
    if any("Excessive depth" in entry.message for entry in parser.error_log):
        raise DocumentError("The page's elements are nested more than 2,000 levels deep.")
    for comment in list(tree.iter(etree.Comment)):
        comment.drop_tree()
    return tree


def _is_in_script(text: str, offset: int) -> bool:
    """Whether an offset is in a script, as far as its tags tell."""
    head = text[:offset].lower()
    return head.rfind("<script") > head.rfind("</script")


def _list_encodings(content: bytes, media_type: str) -> list[str]:
    """The encodings that a page is said to have, the most reliable first."""
    mark = next((name for mark, name in _MARKS if content.startswith(mark)), "")
    header = _PARAMETER.search(media_type)
    inside = _DECLARATION.search(content[:_HEAD]) or _META.search(content[:_HEAD])
    declared_encoding = inside[1].decode("ascii").lower() if inside else ""
    declared_encoding = (
        "" if declared_encoding.startswith("utf-16") else declared_encoding
    )  # it could not be read if it were
    names = (mark, header[1].lower() if header else "", declared_encoding)
    return [find_superset(name) for name in names if name]


def _is_encoding(name: str) -> bool:
    try:
        return codecs.lookup(name).name != "undefined"
    except LookupError:
        return False


def _readable(text: str) -> str:
    return text.removeprefix("\ufeff").translate(_NOT_TEXT).replace("\r\n", "\n").replace("\r", "\n")
