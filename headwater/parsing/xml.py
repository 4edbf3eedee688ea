"""XML from anywhere, without what makes it dangerous.

Belongs here: parsing bytes into a tree. Not here: the meaning of any format. Guarantee: no entity is expanded, no DTD
and no other file is loaded, nothing is fetched, and the size of the tree is bounded; a document that declares entities
raises `DocumentError`.
"""

from typing import Any

from headwater.errors import DocumentError, TooLargeError

Element = Any
"""An element of lxml, which has no types."""

LIMIT = 50_000_000
"""Bytes of a document; sitemaps may have as many."""
_MAX_MARKS = 1_200_000  # tags and attributes; each takes up to 220 bytes of memory, so 260 MB in all
_ENTITIES = "Its XML declares entities, which is refused because they can grow without bound."


def parse_xml(content: bytes, *, limit: int = LIMIT) -> Element:
    """Parse a document.

    Args:
        content: the document as it was sent; its declaration or byte order mark names the encoding.
        limit: how many bytes it may have.

    Returns:
        Its root, an element of lxml. Comments and processing instructions are left out.

    Raises:
        DocumentError: it is not well-formed, or declares entities. TooLargeError: it is too large.
    """
    if len(content) > limit:
        raise TooLargeError(f"The XML is larger than {limit / 1e6:,.0f} MB.")
    if content.count(b"<") + content.count(b"=") > _MAX_MARKS:
        raise TooLargeError(f"The XML has more than {_MAX_MARKS:,} tags and attributes.")
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False,
        load_dtd=False,
        dtd_validation=False,
        attribute_defaults=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError, LookupError) as error:
        if "amplification" in str(error):
            raise DocumentError(_ENTITIES) from None
        raise DocumentError(f"It is not well-formed XML ({str(error)[:200]}).") from None
    declared = root.getroottree().docinfo.internalDTD
    if declared is not None and next(declared.iterentities(), None) is not None:
        raise DocumentError(_ENTITIES)
    return root


def local_name(element: Element) -> str:
    """The name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]
