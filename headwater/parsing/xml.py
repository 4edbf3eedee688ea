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
_MAX_TAGS = 1_500_000  # an element takes some 300 bytes of memory; a full sitemap has half as many tags


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
    if len(content) > limit or content.count(b"<") > _MAX_TAGS:
        raise TooLargeError(f"The XML is larger than {limit // 1_000_000} MB, or has more than {_MAX_TAGS:,} tags.")
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
        raise DocumentError(f"It is not well-formed XML ({str(error)[:200]}).") from None
    declared = root.getroottree().docinfo.internalDTD
    if declared is not None and next(declared.iterentities(), None) is not None:
        raise DocumentError("Its XML declares entities, which is refused because they can grow without bound.")
    return root
