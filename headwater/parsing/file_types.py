"""The type of a file, by its content.

Belongs here: telling binary formats and kinds of text apart. Not here: finding a parser (`registry`), the signatures
(`signatures`), encodings (`text`). Guarantee: a name decides only among kinds of text; every file has a type; the work
is linear in the file, and for text looks only at its beginning.

Our own, because libraries that look at content either bring a model (magika) or a C library (python-magic), or know
little of text and of what is in an archive (filetype, puremagic).
"""

import codecs
import re
from pathlib import PurePosixPath

from headwater.domain.code_files import code_media_type, script_media_type
from headwater.domain.media_types import MARKDOWN_ENDINGS
from headwater.parsing.signatures import DOCX, ENCRYPTED, PPTX, XLSX, binary_type
from headwater.parsing.subtitles.speech_data import has_segments
from headwater.parsing.text_structure import is_info

PLAIN_TEXT = "text/plain"
UNKNOWN = "application/octet-stream"
EMPTY = "application/x-empty"
DOCBOOK = "application/docbook+xml"
XML_DOCUMENT = "application/x-document+xml"
"""A document in XML of another vocabulary, such as DITA or JATS; XML of data has no paragraphs."""
OPENAPI = "application/vnd.oai.openapi"
"""The description of an HTTP API: OpenAPI or Swagger, in JSON or YAML."""
TRANSCRIPT = "application/x-transcript+json"
"""What is said in a recording, as Whisper and podcasts write it."""
MAILBOX = "application/mbox"
"""Messages one after the other in a file, which a source of mail reads."""
KEYS = "application/x-pem-file"
"""Keys, certificates and signatures as text: nobody reads them, and some are secret, whatever a file is called."""
VAGUE = frozenset({PLAIN_TEXT, UNKNOWN, "application/xml", "application/json"})
"""Types that a file has if its content says no more: a parser may know better, by the name or the server."""

PROSE = frozenset({"text/x-textile", "text/x-gettext"})
"""Types of text that people can read as it is."""

_SAMPLE = 16_384
_XML_SAMPLE = 65_536  # an article may begin with as much about its authors
_NOT_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_MAX_CONTROL_SHARE = 0.02  # control characters in logs of terminals, where they stand for colours and backspaces
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_BY_ENDING = {
    **dict.fromkeys(MARKDOWN_ENDINGS, "text/markdown"), ".mdx": "text/mdx", ".rst": "text/x-rst",
    ".rest": "text/x-rst", ".txt": PLAIN_TEXT, ".text": PLAIN_TEXT, ".log": PLAIN_TEXT, ".csv": "text/csv",
    ".tsv": "text/tab-separated-values", ".tab": "text/tab-separated-values", ".html": "text/html", ".htm": "text/html",
    ".xhtml": "application/xhtml+xml", ".ipynb": "application/x-ipynb+json", ".eml": "message/rfc822",
    ".mbox": MAILBOX, ".mbx": MAILBOX, ".json": "application/json", ".jsonl": "application/jsonl",
    ".ndjson": "application/jsonl", ".geojson": "application/geo+json", ".yaml": "application/yaml",
    ".yml": "application/yaml", ".toml": "application/toml", ".xml": "application/xml", ".svg": "image/svg+xml",
    ".ini": "text/x-ini", ".cfg": "text/x-ini", ".conf": "text/x-ini", ".properties": "text/x-ini",
    ".adoc": "text/asciidoc", ".asciidoc": "text/asciidoc", ".org": "text/org", ".tex": "text/x-tex",
    ".latex": "text/x-tex", ".ltx": "text/x-tex",
    ".bib": "text/x-bibtex", ".textile": "text/x-textile", ".wiki": "text/x-wiki",
    ".mediawiki": "text/x-wiki", ".wikitext": "text/x-wiki", ".po": "text/x-gettext",
    ".ics": "text/calendar", ".vcf": "text/vcard", ".srt": "application/x-subrip", ".vtt": "text/vtt",
    ".ttml": "application/ttml+xml", ".dfxp": "application/ttml+xml",
    ".diff": "text/x-diff", ".patch": "text/x-diff", ".rtf": "application/rtf",
}  # fmt: skip
_DOCBOOK_ENDINGS = (".docbook", ".dbk", ".sgml")
_XML_ENDINGS = (".xml", *_DOCBOOK_ENDINGS)
_DOCUMENT_ENDINGS = (".xml", ".dita", ".page", ".nxml")
_DATA_ENDINGS = (".json", ".yaml", ".yml")
_ENCRYPTED_ENDINGS = {".docx": DOCX, ".xlsx": XLSX, ".pptx": PPTX}  # an encrypted file does not say which it is
_RTF = b"{\\rtf"
_CLEAR = (_RTF, "application/rtf"), (b"WEBVTT", "text/vtt"), (b"%!PS", "application/postscript")
# Of OpenSSL, attributes may stand before a key.
_KEY = re.compile(
    rb"(?:\s*+|(?s:\s*+(?:Bag|Key) Attributes.{0,2000}?))-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}"
    rb"(?:KEY|CERTIFICATE|REQUEST|SIGNATURE|BLOCK|PARAMETERS|CRL|PKCS7|CMS)-----|PuTTY-User-Key-File-\d+:"
)
_HTML = re.compile(
    rb"\s*+(?:<\?xml[^>]{0,200}\?>\s*+)?(?:<!--(?:[^-]|-(?!->)){0,4000}+-->\s*+)*+<(?:!doctype\s++html|html)[\s>]",
    re.IGNORECASE,
)
_COMMENT_OR_DOCTYPE = rb"<!--(?:[^-]|-(?!->)){0,4000}+-->\s*+|<!DOCTYPE[^>\[]{0,500}(?:\[[^\]]{0,2000}\]\s*+)?>\s*+"
_XML_ROOT = re.compile(
    rb"\s*+(?P<start><\?xml[^>]{0,200}\?>)?\s*+(?:"
    + _COMMENT_OR_DOCTYPE
    + rb"|<\?[^>]{0,200}\?>\s*+)*+<(?:[\w.-]{1,60}:)?+(?P<root>[\w.-]{1,60})(?P<attributes>[^>]{0,2000})",
)
_ROOTS = {
    b"rss": "application/rss+xml", b"RDF": "application/rdf+xml", b"feed": "application/atom+xml",
    b"svg": "image/svg+xml", b"html": "application/xhtml+xml", b"urlset": "application/x-sitemap+xml",
    b"sitemapindex": "application/x-sitemap+xml", b"opml": "text/x-opml", b"tt": "application/ttml+xml",
}  # fmt: skip
_DOCBOOK = re.compile(rb"<!DOCTYPE[^>\[]{0,300}DocBook|xmlns(?::\w+)?=[\"']http://docbook\.org/ns/docbook[\"']")
_DOCBOOK_ROOT = re.compile(
    rb"\s*+(?:<\?[^>]{0,200}\?>\s*+|" + _COMMENT_OR_DOCTYPE + rb")*+"
    rb"<(?:appendix|article|book|chapter|glossary|part|preface|refentry|reference|refsect[1-3]|refsynopsisdiv|sect[1-5]"
    rb"|section|simplesect|itemizedlist|orderedlist|variablelist|varlistentry)[\s>]"
)
_DOCBOOK_PARAGRAPH = re.compile(rb"<(?:sim)?para[\s>]")
_PARAGRAPH = re.compile(rb"<(?:akn:)?(?:p|para|t|shortdesc|chapeau)[\s>]")
_LAW = re.compile(rb"schemas\.gpo\.gov/xml/uslm|[Aa]koma[Nn]toso|<legis-body[\s>]")
_MIN_PARAGRAPHS = 2
# At the beginning of a line of YAML, or little indented in JSON; what only looks so is read as code.
_OPENAPI = re.compile(
    rb"^(?:\xef\xbb\xbf)?(?:[ \t]{0,4}\{?[ \t]{0,4}[\"'](?:openapi|swagger)[\"']|openapi|swagger)"
    rb"[ \t]*:[ \t]*[\"']?(?:3\.\d|2\.0\b)",
    re.MULTILINE,
)
_OPENAPI_NAME = re.compile(
    r"(?:.*[._/-])?(?:openapi|swagger|api-docs)(?:[._-][\w.-]*)?\.(?:json|ya?ml)", re.IGNORECASE | re.ASCII
)
_OPERATIONS = re.compile(rb"[\"'\s](?:paths|components|webhooks)[\"']?[ \t]*:")
_NOTEBOOK = re.compile(rb'\s*+\{(?=.{0,16000}"cells"\s*+:\s*+\[)(?=.*"nbformat"\s*+:)', re.DOTALL)
_MAIL_FIELD = re.compile(
    rb"^(From|To|Subject|Date|Message-ID|MIME-Version|Received|Return-Path|Delivered-To|Reply-To): ",
    re.IGNORECASE | re.M,
)

# A line about the delivery stands before each message. That of patches of git has the name of a commit; many have none.
_DELIVERY = (
    rb"From (?![0-9a-f]{40} )\S[^\n]{0,200}\d\d:\d\d[^\n]{0,40}\n(?:>From [^\n]{0,200}\n)?[A-Za-z][\w-]{1,60}:[ \t]"
)
_DELIVERED, _NEXT_DELIVERED = re.compile(_DELIVERY), re.compile(rb"\n\r?\n" + _DELIVERY)


def media_type_of(content: bytes, name: str) -> str:
    """The media type of a file, in lower case, without parameters.

    Args:
        content: the file; its first 64 KB are enough for all but archives and compound files.
        name: its name or path, which decides among kinds of text.
    """
    sample = content[:_SAMPLE]
    if not content:
        return _BY_ENDING.get(_ending(name), code_media_type(name) or EMPTY)
    if is_text(sample):
        return _text_type(sample.removeprefix(codecs.BOM_UTF8), content, name)
    media_type = binary_type(content) or UNKNOWN
    if media_type == ENCRYPTED:
        return _ENCRYPTED_ENDINGS.get(_ending(name), ENCRYPTED)
    return media_type


def is_openapi_name(name: str) -> bool:
    """Whether a file is named like the description of an API, such as `openapi.json` or `v2/petstore-swagger.yaml`."""
    return _OPENAPI_NAME.fullmatch(name) is not None


def is_text(sample: bytes) -> bool:
    """Whether the beginning of a file is text, in whichever encoding."""
    if sample.startswith((*_WIDE, _RTF)):  # RTF may hold pictures in binary, and Outlook ends it with NUL
        return True
    if is_info(sample):  # its pictures and its index are marked with control characters
        return True
    if b"\x00" in sample or sample.startswith((b"%PDF-", b"# Sphinx inventory")):
        return False
    controls = len(_NOT_TEXT.findall(sample)) if _NOT_TEXT.search(sample) else 0
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)  # a character may be cut at the end
    except UnicodeDecodeError:
        return not controls
    return controls <= _MAX_CONTROL_SHARE * len(sample)


def _text_type(sample: bytes, content: bytes, name: str) -> str:
    ending = _ending(name)
    code = code_media_type(name)
    for sign, media_type in _CLEAR:
        if sample.startswith(sign):
            return media_type
    if _KEY.match(sample):
        return KEYS
    if _HTML.match(sample) and (code is None or ending == ".xml"):  # a template of PHP or Vue is code
        return "application/xhtml+xml" if sample.lstrip().startswith(b"<?xml") else "text/html"
    if (code is None or ending == ".xml") and (media_type := _xml_type(sample, content[:_XML_SAMPLE], ending)):
        return media_type
    if ending in (".ipynb", ".json", "") and _NOTEBOOK.match(content):
        return _BY_ENDING[".ipynb"]
    if ending == ".json" and has_segments(content):
        return TRANSCRIPT
    if ending in _DATA_ENDINGS and _OPENAPI.search(content) and _OPERATIONS.search(content):
        return OPENAPI
    if ending in _BY_ENDING:
        return _BY_ENDING[ending]
    return code or script_media_type(sample) or _detect_text_type(sample, content)


def _xml_type(sample: bytes, content: bytes, ending: str) -> str:
    """The type of a text in XML by its root; empty if it is none."""
    if ending in _XML_ENDINGS and _DOCBOOK.search(sample):
        return DOCBOOK
    is_part = ending in _XML_ENDINGS and _DOCBOOK_ROOT.match(sample)  # of a document that another file declares
    if is_part and (ending in _DOCBOOK_ENDINGS or _DOCBOOK_PARAGRAPH.search(sample)):
        return DOCBOOK
    xml = _XML_ROOT.match(sample)
    if xml and (xml["start"] or b"xmlns" in xml["attributes"]):
        has_text = len(_PARAGRAPH.findall(content)) >= _MIN_PARAGRAPHS or _LAW.search(content) is not None
        is_document = ending in _DOCUMENT_ENDINGS and has_text
        by_ending = XML_DOCUMENT if is_document else _BY_ENDING.get(ending, "application/xml")
        return _ROOTS.get(xml["root"], by_ending)
    return ""


def _detect_text_type(sample: bytes, content: bytes) -> str:
    """The type of a text whose name says nothing; a mailbox has more than one message."""
    if _DELIVERED.match(sample) and _NEXT_DELIVERED.search(content):
        return MAILBOX
    head = sample.partition(b"\n\n")[0].partition(b"\r\n\r\n")[0]
    fields = {field.lower() for field in _MAIL_FIELD.findall(head)}
    return "message/rfc822" if b"from" in fields and len(fields) > 2 else PLAIN_TEXT


def _ending(name: str) -> str:
    return PurePosixPath(name).suffix.lower()
