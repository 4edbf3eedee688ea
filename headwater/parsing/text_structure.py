"""The markup of a text whose name does not say it: markdown, AsciiDoc, DokuWiki, troff, Info, settings and others.

Belongs here: what each looks like at the beginning of a file. Not here: binary formats, names (`file_types`), reading
any of them. Guarantee: pure and linear; a text is of a kind only if its structure says so, never by single signs that
prose, logs and lists of settings have too.
"""

import re
from itertools import pairwise

from headwater.domain.code_files import PLAIN_CODE

MARKDOWN = "text/markdown"
ASCIIDOC = "text/asciidoc"
DOKUWIKI = "text/x-dokuwiki"
RST = "text/x-rst"
TROFF = "text/troff"
INFO = "text/x-info"
FORMATTED_MANUAL = "text/x-formatted-manual"
RFC_TEXT = "text/x-rfc"
VIM_HELP = "text/x-vim-help"

_ENOUGH = 2
_MIN_COMMENTS = 8  # lines; fewer are the outline of a text that has yet to be written
_MIN_WIKI_SIGNS = 3  # links and lines of a page without a heading, one of them a link
_INFO = re.compile(rb"\x1f\f?\r?\n(?:File: [^\n]{1,200}?,[ \t]+Node: |Indirect:\r?\n)")
_MANUAL = re.compile(rb"^[.'][ \t]*(?:TH|Dd|Dt)[ \t]+\S", re.MULTILINE)
_SECTION = re.compile(rb"^[.'][ \t]*S[hHsS](?:[ \t]|$)", re.MULTILINE)
_FORMATTED_NAME = re.compile(
    rb"\s*(?:[^\n]{0,200}\(\w{1,8}\)[ \t]*\n\s*)?^NAME[ \t]*\n[ \t]{3,}[^\n]{1,300}? (?:-|--|\xe2\x80[\x90-\x95])[ \n]",
    re.MULTILINE,
)
_FORMATTED_SECTION = re.compile(rb"^(?:SYNOPSIS|DESCRIPTION)[ \t]*\n(?:[ \t]*\n)?[ \t]{3,}\S", re.MULTILINE)
_MEMO = re.compile(rb"^Request for Comments: *\d", re.MULTILINE | re.IGNORECASE)
_DRAFT = re.compile(rb"^Internet[- ]Draft\b", re.MULTILINE | re.IGNORECASE)
_DRAFT_SIGN = re.compile(rb"\bExpir(?:es?|ation)\b|\bIntended status:|\bdraft-\w", re.IGNORECASE)
_MEMO_SECTION = re.compile(rb"^(?:Abstract|Status of this Memo|Table of Contents)[ \t]*$", re.MULTILINE | re.IGNORECASE)
_MEMO_HEAD = 1_500  # characters
_VIM_NAME = re.compile(rb"(?:\xef\xbb\xbf)?\*[\w.-]{1,60}\.(?:txt|\w\wx)\*(?:[ \t][^\n]{0,200})?\n")
_VIM_SIGN = re.compile(
    rb"^[=-]{20,}[ \t]*$|[ \t]\*[^\s*|]{1,100}\*[ \t]*$|(?<!\S)\|[^\s|]{1,100}\|(?!\S)", re.MULTILINE
)
_VIM_MODE = re.compile(rb"(?:^|[ \t])vim?:[^\n]{0,200}\b(?:ft|filetype)=help\b", re.MULTILINE)
_MODE = re.compile(
    rb"-\*-[ \t]*(?:mode:[ \t]*)?(?:shell-script|sh|zsh|bash|fish)[ \t;]*-\*-"
    rb"|\bvim?:.*\b(?:ft|filetype)=\w*sh\b"
)
_COMPLETION = re.compile(rb"#(?:compdef|autoload)\b|#[ \t]*(?:bash|zsh|fish|shell)[ \t]+completions?\b", re.IGNORECASE)
_COMPLETES = re.compile(rb"^(?:complete[ \t]+-|compdef[ \t]+\w|_\w+[ \t]*\(\)[ \t]*\n?\{)", re.MULTILINE)
_FENCE = re.compile(rb"^ {0,3}(?P<mark>`{3,}|~{3,})[ \t]*[\w+#.-]{0,30}[ \t]*$", re.MULTILINE)
_HEADING = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n))(?P<marks>#{1,6})[ \t]+[^\s#][^\n]*\n(?=[ \t]*\n|[^#\s])")
_TITLE = re.compile(rb"\s*#[ \t]+[^\s#][^\n]*\n[ \t]*\n")
_UNDERLINED = re.compile(
    rb"(?:\A|\n[ \t]*\n)[ \t]{0,3}(?P<words>[^\s|+>*-][^\n]{1,78})\n(?P<line>=+|-{3,})[ \t]*(?=\n)"
)
_LINK = re.compile(rb"(?<![\w\]])!?\[[^\[\]\n]{1,200}\]\((?:https?://|\.{0,2}/|#|[\w./-]+\.\w{2,5})[^()\s]*\)")
_BOLD = re.compile(rb"(?<![\w*])\*\*[^\s*][^*\n]{0,100}\*\*(?![\w*])")
_RULER = re.compile(rb"^[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)+\|?[ \t]*$", re.MULTILINE)
_COLUMNS = re.compile(rb"\S {3,}\S|\t")
_DIRECTIVE = re.compile(rb"^[ \t]*\.\. (?:[\w-]+(?::[\w-]+)?::(?:[ \t]|$)|_[\w .-]+:)", re.MULTILINE)
_ROLE = re.compile(rb"(?<![\w`]):[\w-]+(?::[\w-]+)?:`[^`\n]+`|``[^`\n]+``|`[^`\n]+ <[^`\n]+>`_")
_ATTRIBUTE = re.compile(rb"^:[\w!-]+:(?:[ \t]|$)", re.MULTILINE)
_SECTIONS = re.compile(rb"(?:\A|(?<=\n))={1,5} [^\s=][^\n]*$", re.MULTILINE)
_BLOCK = re.compile(
    rb"^\[(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION|source|listing|verse|quote|horizontal|[%.]\w+)[^\]\n]*\][ \t]*$"
    rb"|^(?:include|ifdef|ifndef|endif|image|toc)::[^\n]*\[[^\n]*\][ \t]*$|^[^\s\[/#.][^\n]{0,80}[^\s:]::[ \t]*$"
    rb"|(?<!\w)(?:linkgit|link|xref):[^\s\[\]]+\[[^\]\n]*\]",
    re.MULTILINE,
)
_CLOSED = re.compile(rb"^[ \t]*={2,6} ?[^=\s](?:[^\n]{0,200}[^=\s])?[ \t]*={2,7}[ \t]*$", re.MULTILINE)
_WIKI_LINK = re.compile(
    rb"\[\[[^\s\[\]][^\[\]\n]*\]\]"
    rb"|\{\{ ?:?[^{}|\s]{1,200}\.(?:png|jpe?g|gif|svg|webp|pdf|od[tps]|docx?|zip|mp[34])\b[^{}\n]*\}\}",
    re.IGNORECASE,
)
_WIKI_TABLE = re.compile(rb"^\^[^\n]{1,500}\^[ \t]*\n[|^]", re.MULTILINE)
_WIKI_LINE = re.compile(rb"^(?: {2,}[*-] \S|\^ ?[^\^|\n]+[\^|])|\\\\[ \t]*$", re.MULTILINE)
_MEDIAWIKI = re.compile(rb"^[*#:;](?:[*#:;]{0,3} )?\w|^\{\||^'''", re.MULTILINE)
_INDENTED = re.compile(rb"^(?: {4}|\t)", re.MULTILINE)
_LINE = re.compile(rb"^[ \t]*\S", re.MULTILINE)


def detect_structure(sample: bytes) -> str:
    """The media type of a text by its structure; empty if it is plain.

    Args:
        sample: its beginning.
    """
    sample = sample.replace(b"\r\n", b"\n")
    if is_manual(sample):
        return TROFF
    if is_formatted_manual(sample):
        return FORMATTED_MANUAL
    if is_rfc_text(sample):
        return RFC_TEXT
    if is_completion(sample) or is_settings(sample):
        return PLAIN_CODE
    if is_dokuwiki(sample):
        return DOKUWIKI
    kinds = {RST: _rst(sample), ASCIIDOC: _asciidoc(sample), MARKDOWN: _markdown(sample)}
    best = max(kinds, key=lambda kind: kinds[kind])
    return best if kinds[best] >= _ENOUGH else ""


def is_dokuwiki(sample: bytes) -> bool:
    """Whether a text is a page of DokuWiki: its headings have `=` on both sides, and its links or lists are a wiki's.

    AsciiDoc's headings end in `=` too, at times; MediaWiki's always do, but its items are not indented.
    """
    prose = _without_fences(sample)
    headings, lines = len(_CLOSED.findall(prose)), len(_WIKI_LINE.findall(prose))
    links = len(_WIKI_LINK.findall(prose))
    if len(_SECTIONS.findall(prose)) > headings or len(_MEDIAWIKI.findall(prose)) > lines:
        return False
    if _WIKI_TABLE.search(prose) or (headings and links + lines):
        return True
    return links > 0 and links + lines >= _MIN_WIKI_SIGNS and not _is_underlined(prose)


def is_manual(sample: bytes) -> bool:
    """Whether a text is a manual page in troff."""
    return sample.lstrip()[:1] in (b".", b"'") and bool(_MANUAL.search(sample) and _SECTION.search(sample))


def is_formatted_manual(sample: bytes) -> bool:
    """Whether a text is a manual page as a terminal shows it: it begins with NAME, and has another section of all."""
    return bool(_FORMATTED_NAME.match(sample) and _FORMATTED_SECTION.search(sample))


def is_rfc_text(sample: bytes) -> bool:
    """Whether a text is an RFC or an Internet-Draft: its header says so, and it has a section that all of them have.

    The header of a draft says when it expires, what it will be, or its name, too; a text about drafts does not.
    """
    head = sample[:_MEMO_HEAD]
    has_header = _MEMO.search(head) or (_DRAFT.search(head) and _DRAFT_SIGN.search(head))
    return bool(has_header and _MEMO_SECTION.search(sample))


def is_vim_help(beginning: bytes, end: bytes) -> bool:
    """Whether a text is help of Vim: it begins with its name as a tag, or ends with settings that say so."""
    beginning = beginning.replace(b"\r\n", b"\n")
    name = _VIM_NAME.match(beginning)
    return bool(name and _VIM_SIGN.search(beginning, name.end())) or _VIM_MODE.search(end) is not None


def is_info(sample: bytes) -> bool:
    """Whether a text is an Info file, or a part of one: it has the beginning of a node, or of the list of its parts."""
    return b"\x1f" in sample and bool(_INFO.search(sample))


def is_completion(sample: bytes) -> bool:
    """Whether a text completes commands in a shell, or says in its first lines that it is a script of one."""
    head = b"\n".join(sample.split(b"\n", 3)[:3])
    return bool(_COMPLETION.match(head) or _MODE.search(head) or len(_COMPLETES.findall(sample)) > 1)


def is_settings(sample: bytes) -> bool:
    """Whether a text is mostly comments that begin with `#`, line below line, as files of settings are.

    They would be headings in markdown, where headings seldom follow each other and never make up half of a text.
    """
    lines = [line.lstrip() for line in sample.split(b"\n")]
    if not sample.lstrip().startswith(b"#"):
        return False
    comments = [line.startswith(b"#") for line in lines]
    pair_count = sum(upper and lower for upper, lower in pairwise(comments))
    return (
        sum(comments) >= _MIN_COMMENTS and 2 * sum(comments) > sum(map(bool, lines)) and 2 * pair_count >= sum(comments)
    )


def _markdown(sample: bytes) -> int:
    """What speaks for markdown: pairs of fences, headings, links, bold text, rulers of tables."""
    fences = [match["mark"][:1] for match in _FENCE.finditer(sample)]
    prose = _without_fences(sample)
    headings = [len(match["marks"]) for match in _HEADING.finditer(prose)]
    deep = sum(level > 1 for level in headings)
    signs = (
        2 * (len(fences) > 1),
        2 * (deep > 0 and len(headings) > 1),
        2 * _is_underlined(prose),
        int(_TITLE.match(prose) is not None and len(headings) < 4),
        int(_LINK.search(prose) is not None),
        int(_BOLD.search(prose) is not None),
        2 * (_RULER.search(prose) is not None and b"|" in prose),
    )
    return sum(signs)


def _is_underlined(prose: bytes) -> bool:
    """Whether it has headings above a line of `=` or `-`; a text that is mostly indented would become code."""
    underlines = [
        match for match in _UNDERLINED.finditer(prose)
        if abs(len(match["line"]) - len(match["words"].decode("utf-8", "replace").rstrip())) <= 3
        and not _COLUMNS.search(match["words"])
    ]  # fmt: skip
    return bool(underlines) and 2 * len(_INDENTED.findall(prose)) < len(_LINE.findall(prose))


def _rst(sample: bytes) -> int:
    directives, roles = len(_DIRECTIVE.findall(sample)), len(_ROLE.findall(sample))
    is_certain = directives > 1 or (directives and roles) or (roles > 3 and _is_underlined(sample))
    return 2 * min(directives, 2) + min(roles, 2) if is_certain else 0


def _asciidoc(sample: bytes) -> int:
    prose = _without_fences(sample)
    blocks, sections = len(_BLOCK.findall(prose)), len(_SECTIONS.findall(prose))
    if sections < 2 and blocks < 2:
        return 0
    return min(blocks, 2) * 2 + min(sections, 2) + (_ATTRIBUTE.search(prose) is not None)


def _without_fences(sample: bytes) -> bytes:
    """A text without what stands between fences."""
    texts, position, mark = [], 0, b""
    for fence in _FENCE.finditer(sample):
        if not mark:
            texts.append(sample[position : fence.start()])
            mark = fence["mark"]
        elif fence["mark"].startswith(mark):
            position, mark = fence.end(), b""
    return b"".join([*texts, b"" if mark else sample[position:]])
