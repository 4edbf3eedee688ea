"""Removing HTML, JSX and comments from markdown while keeping their words.

Belongs here: finding them outside code, and replacing them. Not here: fences and indented code
(`fences`, `indentation`), where a script ends (`javascript`), the text for a tag (`html_tags`). Guarantee:
code stays as it is; unclosed markup stays; the work is linear in the text.
"""

import re
from html import unescape

from headwater.parsing.html.inline import shift_characters
from headwater.parsing.markdown import emoji, html_blocks
from headwater.parsing.markdown.components import Components, inline_words
from headwater.parsing.markdown.edits import Edits, Step, fence_edits, new_step
from headwater.parsing.markdown.fences import FENCE, fence_end
from headwater.parsing.markdown.hexo_tags import without_raw
from headwater.parsing.markdown.html_tags import (
    HEADING,
    INLINE_CODE,
    OMITTED,
    RAISED,
    character,
    code_of_pre,
    is_component,
    is_element,
    link_target,
    words_of,
)
from headwater.parsing.markdown.indentation import PartKind, reindent
from headwater.parsing.markdown.javascript import Scripts, Tag, literal
from headwater.parsing.markdown.line_cursor import LineCursor
from headwater.parsing.markdown.markdown_dialects import rewrite_dialects
from headwater.parsing.markdown.mdx import IMPORT, begins_script, follows_math, looks_like_mdx
from headwater.parsing.markdown.shortcodes import show_escaped
from headwater.parsing.markdown.tag_words import TemplateTag
from headwater.parsing.markdown.template_tags import template_tag
from headwater.parsing.markdown.text_assembly import Part, join_parts

_PART = re.compile(
    FENCE + r"|(?P<ticks>`+)|(?P<comment><!--|\{/\*)|(?P<escaped>\\[!-/:-@\[-`{-~])|(?P<open>[<{])"
    r"|&(?:[A-Za-z][A-Za-z0-9]{1,31}|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});"
    r"|^(?P<module>(?:import|export)(?=[ \t{*'\"]))|" + emoji.NAME,
    re.MULTILINE,
)
# Every match of `_PART` contains one of these, which takes a tenth of the time to find.
_SIGN = re.compile(r"[`<{\\&~]")
_MODULE = r"|^(?:import|export)"
_EMOJI = re.compile(emoji.NAME)
_EXPORT = re.compile(r"export[ \t]+(?:(?:default|const|let|var|function|async|class)\s|[{*])")
_CLOSED = re.compile(r"</([A-Za-z][\w.-]*)")
_REST_IS_TAGS = re.compile(r"[ \t]*(?=<|\n|\Z)")
_NEXT_ITEM = re.compile(r"[ \t]*<li[\s>]", re.IGNORECASE)
_LINK_OPENED = re.compile(r"\](?:\(\s*|:\s*)\Z")
_NEAR = 2_000  # characters within which a short element must end
_DEPTH = 3  # nested elements within scripts within elements


def without_markup(text: str, *, is_mdx: bool, edits: Edits | None = None) -> str:
    """Remove tags, comments, module lines and scripts from markdown.

    Args:
        text: markdown or MDX without front matter.
        is_mdx: whether it is known to be MDX; markdown that imports or closes components is treated as MDX.
        edits: records the replacements.
    """
    is_mdx = is_mdx or looks_like_mdx(text)
    edits = Edits() if edits is None else edits
    text = rewrite_dialects(text, edits, is_mdx=is_mdx)
    strip = _Strip(text, is_mdx=is_mdx)
    runs = strip.parts()
    edits.add(strip.step)
    plain, code = join_parts(runs, edits)
    return show_escaped(reindent(plain, code, edits, is_mdx=is_mdx), edits)


class _Strip:
    """One walk over a text."""

    def __init__(self, text: str, *, is_mdx: bool, depth: int = 0) -> None:
        self._text = text
        self._is_mdx = is_mdx
        self._depth = depth
        self._scripts = Scripts(text)
        self._parts: list[Part] = []
        self.step = new_step()  # the edits
        self._begin = 0  # start of the text that has not been written yet
        self._marks = LineCursor(text)
        self._unclosed: set[str] = set()
        self._links: list[str] = []
        self._components = Components()
        self._blocks = html_blocks.HtmlBlocks(text, is_mdx=is_mdx)
        module = _MODULE if "import" in text or "export" in text else ""
        self._sign = re.compile(_SIGN.pattern + module + (r"|:" if _EMOJI.search(text) else ""), re.MULTILINE)
        self._closed = {name for match in _CLOSED.finditer(text) for name in (match[1], match[1].lower())}

    def parts(self) -> list[Part]:
        """The text in parts."""
        code = [] if self._is_mdx else html_blocks.find_indented_code(self._text)[::-1]  # the last first
        position = 0
        while match := self._next(position):
            while code and code[-1][0] <= match.start():
                position = max(position, self._keep_indented(*code.pop()))
            if position <= match.start():
                position = max(self._take(match), match.end() if not match["open"] else match.start() + 1)
        while code:
            self._keep_indented(*code.pop())
        self._parts.append((self._text[self._begin :], PartKind.PROSE))
        return self._parts

    def _next(self, position: int) -> re.Match[str] | None:
        """The next match of `_PART`; lines without one of its characters are skipped."""
        match = self._sign.search(self._text, position)
        if match is None:
            return None
        line = self._text.rfind("\n", position, match.start()) + 1
        return _PART.search(self._text, max(position, line))

    def _take(self, part: re.Match[str]) -> int:
        """Handle a match; returns the next position."""
        start = part.start()
        if part["mark"]:
            return self._keep(start, fence_end(self._text, part))
        if part["emoji"]:
            sign = emoji.sign_of(part["emoji"])
            return part.end() if sign is None else self._write(start, part.end(), sign)
        if part["ticks"]:
            end = self._marks.code_end(start, part.end())
            code = without_raw(self._text[start:end])
            return end if len(code) == end - start else self._write(start, end, code)
        if part["comment"]:
            return self._comment(start, part["comment"])
        if part["module"]:
            return self._module(start)
        if part["escaped"]:
            is_brace = self._is_mdx and part["escaped"][1] in "{}"
            return self._write(start, part.end(), part["escaped"][1]) if is_brace else part.end()
        if part["open"] and (tag := template_tag(self._text, start)):
            return self._template_tag(start, tag)
        if part["open"] == "<":
            return self._tag(start)
        if part["open"] == "{":
            return self._braces(start)
        return self._write(start, part.end(), character(part[0]))

    def _template_tag(self, start: int, tag: TemplateTag) -> int:
        """Write a tag's code or words; parentheses around nothing, as of a number of an issue, go with it."""
        if tag.code.strip():
            self._write(start, start, tag.words)
            code = tag.code.rstrip(" \t")
            return self._fence(start, tag.end, code, tag.language, indent=self._marks.indent(start))
        is_alone = not tag.words and start > self._begin and self._text[tag.end : tag.end + 1] == ")"
        if is_alone and self._text[start - 2 : start] == " (":
            return self._write(start - 1, tag.end + 1, "")
        return self._write(start, tag.end, tag.words)

    def _write(
        self, start: int, end: int, words: str, *, fence: "Step | None" = None, kind: PartKind = PartKind.FENCE
    ) -> int:
        """Replace a span with words; if the words are a fence or a block, `fence` are its edits."""
        self._parts.append((self._text[self._begin : start], PartKind.PROSE))
        if words:
            self._parts.append((words, kind if fence else PartKind.PROSE))
        self.step.extend(fence or (start, end, len(words)))
        self._begin = end
        return end

    def _keep(self, start: int, end: int, kind: PartKind = PartKind.FENCE) -> int:
        self._parts += [(self._text[self._begin : start], PartKind.PROSE), (self._text[start:end], kind)]
        self._begin = end
        return end

    def _keep_indented(self, start: int, end: int) -> int:
        """Keep indented code, unless it is in an element that was replaced."""
        if start < self._begin:
            return start
        has_end = self._text.endswith("\n", start, end)  # it stays with the blank lines below
        return self._keep(start, end - has_end, PartKind.INDENTED)

    def _drop(self, start: int, end: int) -> int:
        """Remove a span that leaves nothing behind."""
        if self._marks.is_bare(start):
            self._marks.keep_bare(end)
        return self._write(start, end, "")

    def _comment(self, start: int, opening: str) -> int:
        closer = "-->" if opening == "<!--" else "*/}"
        end = -1 if closer in self._unclosed else self._text.find(closer, start + len(opening))
        if end < 0:
            self._unclosed.add(closer)
            return start + len(opening)
        return self._drop(start, end + len(closer))

    def _module(self, start: int) -> int:
        """Remove an import or export, up to a blank line outside its brackets."""
        if match := IMPORT.match(self._text, start):
            return self._write(start, match.end(), "")
        follows_blank = start == 0 or self._text.endswith("\n\n", 0, start) or self._begin >= start - 1
        if not (self._is_mdx and follows_blank and _EXPORT.match(self._text, start)):
            return start + 6
        end = self._scripts.statement_end(start)
        if end is None:
            blank = self._text.find("\n\n", start)
            end = blank if blank >= 0 else len(self._text)
        return self._write(start, end, "")

    def _braces(self, start: int) -> int:
        """Remove an MDX expression; a text or an element in it stays."""
        text = self._text
        is_math = self._begin != start and follows_math(text, start)
        if not self._is_mdx or is_math or not begins_script(text, start):
            return start + (2 if text.startswith("{{", start) else 1)
        end = self._scripts.braces_end(start)
        if end is None:
            return start + 1
        script = text[start + 1 : end - 1].strip()
        words = literal(script)
        if words is not None:
            is_code = script[0] == "`" and "\n" in words.strip()
            return self._fence(start, end, words) if is_code else self._write(start, end, words)
        first, last = script.find("<"), script.rfind(">")
        content = self._inner(script[first : last + 1]) if 0 <= first < last else ""
        return self._write(start, end, content) if content else self._drop(start, end)

    def _inner(self, text: str) -> str:
        """The remaining text of an element's content."""
        if self._depth >= _DEPTH:
            return ""
        runs = _Strip(text, is_mdx=self._is_mdx, depth=self._depth + 1).parts()
        return "".join(run for run, _ in runs)

    def _fence(self, start: int, end: int, code: str, language: str = "", *, indent: str = "") -> int:
        mark = indent + "`" * max(3, 1 + max((len(run) for run in re.findall("`+", code)), default=0))
        edits = fence_edits(self._text, start, end, mark=mark, language=language, code=code)
        code = code.strip("\n")
        self._write(start, start, "\n\n")
        self._write(start, end, f"{mark}{language}\n{code}\n{mark}", fence=edits)
        return self._write(end, end, "\n")

    def _tag(self, start: int) -> int:
        """Remove a tag and, for some elements, their content."""
        is_target = _LINK_OPENED.search(self._text, max(0, start - 20), start)  # `[words](<a file.md>)`
        tag = None if is_target else self._scripts.tag(start, is_mdx=self._is_mdx)
        if tag is None:
            return start + 1
        name = tag.name.lower()
        is_bare = self._marks.is_bare(start)
        if is_component(tag, self._closed, is_mdx=self._is_mdx):
            return self._component(tag, is_bare=is_bare)
        if not (self._is_mdx or is_element(tag, self._closed)):
            return tag.end
        if name in OMITTED and not tag.is_closing and not tag.is_empty:
            return self._omit(tag)
        is_block = is_bare and name in html_blocks.NAMES and not tag.is_closing and not self._marks.is_in_table(start)
        if is_block and (block := self._blocks.read(start, name)):
            self._write(start, start, "\n\n")
            self._write(start, block.end, block.text, fence=block.edits, kind=PartKind.BLOCK)
            return self._write(block.end, block.end, "\n\n")
        if (match := INLINE_CODE.match(self._text, start)) and not tag.is_empty:
            code = unescape(match["inner"])
            code = re.sub(r"(?<!\\)\|", r"\\|", code) if self._marks.is_in_table(start) else code
            return self._write(start, match.end(), f"`{code}`" if code.strip() else "")
        if match := RAISED.match(self._text, start):
            return self._write(start, match.end(), shift_characters(match["inner"], is_raised=True))
        if (match := HEADING.match(self._text, start)) and is_bare:
            words = " ".join(self._inner(match["inner"]).split())
            mark = "#" * int(match["level"]) + " " if match["level"] else ""
            words = f"\n{mark}{words}\n\n" if mark or "*" in words else f"\n**{words}**\n\n"
            return self._write(start, match.end(), words if words.strip("#*\n ") else "")
        if is_bare:
            self._marks.keep_bare(tag.end)
        return self._write(start, tag.end, self._words(tag, is_bare=is_bare))

    def _component(self, tag: Tag, *, is_bare: bool) -> int:
        is_alone = is_bare and _REST_IS_TAGS.match(self._text, tag.end) is not None
        has_values = any(tag.attributes.values()) or tag.is_empty
        if not (self._is_mdx or is_alone or has_values):
            return tag.end
        is_inline = not is_bare or (tag.is_empty and not is_alone)
        if is_bare and not is_inline:
            self._marks.keep_bare(tag.end)
        words = inline_words(tag) if is_inline else self._components.words(tag, self._marks.indent(tag.start))
        return self._write(tag.start, tag.end, words)

    def _omit(self, tag: Tag) -> int:
        """Remove an element with its content; preformatted text becomes code."""
        name = tag.name.lower()
        end_tag = re.compile(rf"</{name}\s*>", re.IGNORECASE)
        closing = None if name in self._unclosed else end_tag.search(self._text, tag.end)
        if closing is None:
            self._unclosed.add(name)
            return self._write(tag.start, tag.end, "")
        content = self._text[tag.end : closing.start()]
        if name != "pre":
            return self._write(tag.start, closing.end(), " " if name == "svg" else "")
        code = code_of_pre(content, is_mdx=self._is_mdx)
        write = self._fence if code.strip() else self._write
        return write(tag.start, closing.end(), code)

    def _words(self, tag: Tag, *, is_bare: bool) -> str:
        """The text that replaces an HTML tag."""
        name = tag.name.lower()
        if name == "a":
            return self._anchor(tag)
        is_in_table = self._marks.is_in_table(tag.start)
        if is_in_table and name == "li" and tag.is_closing and _NEXT_ITEM.match(self._text, tag.end):
            return "; "
        rest_is_tags = _REST_IS_TAGS.match(self._text, tag.end) is not None
        return words_of(tag, is_bare=is_bare, ends_line=rest_is_tags, is_in_table=is_in_table)

    def _anchor(self, tag: Tag) -> str:
        """A link becomes a markdown link if its words are on one line."""
        if tag.is_closing:
            return f"]({target})" if self._links and (target := self._links.pop()) else ""
        end = self._text.find("</a>", tag.end, tag.end + _NEAR)
        words = self._text[tag.end : end] if end >= 0 else "\n"
        target = "" if "\n" in words.strip() or set("[]") & set(words) or not words.strip() else link_target(tag)
        if not tag.is_empty and end >= 0:
            self._links.append(target)
        return "[" if target and not tag.is_empty else ""
