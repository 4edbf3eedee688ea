"""Markdown as chat platforms write it.

Belongs here: converting markdown to Slack's mrkdwn and to Discord's markdown, and what each may hold. Not here: where
messages are cut (`message_splitter`). Guarantee: nothing in the text can notify people, whatever documents or readers
write; links lead to http, https or mail addresses only, and none reads as another address (`labels`); patterns are
bounded, so that no text takes long.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby

from integrations.labels import honest_label
from integrations.message_splitter import blocks, is_code

_INLINE = re.compile(
    r"(?P<ticks>`{1,3})(?!`)(?P<code>[^\n]{1,1000}?)(?<!`)(?P=ticks)(?!`)"
    r"|!?\[(?P<label>(?:[^\[\]\n\\]|\\[^\n]){1,300})\]\(<?(?P<url>[^\s()<>]{1,2000}(?:\([^\s()<>]{0,200}\)[^\s()<>]{0,500})?)>?"
    r"(?: \"[^\"\n]{0,300}\")?\)"
    r"|<(?P<auto>https?://[^\s<>]{1,2000})>"
    r"|\*\*(?P<bold>[^\s*](?:[^*\n]{0,998}[^\s*])?)\*\*"
    r"|(?<![\w*])\*(?P<italic>[^\s*](?:[^*\n]{0,998}[^\s*])?)\*(?![\w*])"
    r"|(?<![\w_])_(?P<italic2>[^\s_](?:[^_\n]{0,998}[^\s_])?)_(?![\w_])"
    r"|~~(?P<strike>[^\s~](?:[^~\n]{0,998}[^\s~])?)~~"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])"
)
_HEADING = re.compile(r"^ {0,3}(#{1,6})\s+(.*)$")
_BULLET = re.compile(r"^(\s*)[-*+]\s+(.*)$")
_QUOTE = re.compile(r"^ {0,3}>\s?(.*)$")
_RULE = re.compile(r"^ {0,3}([-*_])(?:\s*\1){2,}\s*$")
_LINKED = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
_EMPTY = "\u200b"  # has no width; after an @ it leaves the word readable, and no name
_NOTIFYING = re.compile(r"@(?=everyone|here)|<(?=@|#|/|:|a:|t:|id:)", re.IGNORECASE)
_CALLING = re.compile(r"@(?=everyone|here)|<(?=@[!&]?\d)", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Dialect:
    """How a platform writes text, and how much a message holds, in characters."""

    section_limit: int
    message_limit: int
    escape: Callable[[str], str]
    """Text that stands outside of code, so that nobody is notified."""
    escape_code: Callable[[str], str]
    seal: Callable[[str], str]
    """Text as it is sent, in which pieces that were harmless alone stand side by side."""
    link: Callable[[str, str], str]
    """A link of a label, which is escaped, to an address."""
    bold: str
    italic: str
    strike: str
    heading_levels: int
    has_code_languages: bool
    bullet: str
    has_escapes: bool
    """Whether a backslash takes the meaning of a mark away."""

    def convert(self, markdown: str) -> str:
        """Write markdown in this dialect."""
        converted = (self._code(block) if is_code(block) else self._prose(block) for block in blocks(markdown))
        return self.seal("\n\n".join(converted))

    def plain(self, text: str) -> str:
        """Write a text that is not markdown, such as a title, on one line."""
        return self.escape(" ".join(text.split()))

    def format_link(self, label: str, address: str) -> str:
        """Write a link with a plain label; only the label if no browser should open the address."""
        if not _LINKED.match(address) or re.search(r"\s", address):
            return self.seal(self.plain(label))
        return self.seal(self.link(self.plain(honest_label(label, address)), address))

    def _code(self, block: str) -> str:
        first, *lines, _ = block.split("\n")
        language = re.sub(r"[^\w+#-]", "", first.strip().lstrip("`~").split(" ")[0]) if self.has_code_languages else ""
        code = self.escape_code("\n".join(lines)).replace("```", f"`{_EMPTY}`{_EMPTY}`")
        return f"```{language}\n{code}\n```"

    def _prose(self, block: str) -> str:
        """Line by line; consecutive lines of a table become a code block, because neither platform has tables."""
        texts = []
        for is_table, lines in groupby(block.split("\n"), key=lambda line: line.lstrip().startswith("|")):
            text = "\n".join(lines)
            texts.append(self._code(f"```\n{text}\n```") if is_table and "\n" in text else self._lines(text))
        return "\n".join(texts)

    def _lines(self, text: str) -> str:
        return "\n".join(self._line(line) for line in text.split("\n"))

    def _line(self, line: str) -> str:
        if heading := _HEADING.match(line):
            level, words = len(heading[1]), _without_closing(heading[2])
            if level <= self.heading_levels:
                return f"{heading[1]} {self._inline(words)}"
            return f"{self.bold}{self._inline(words.replace('**', ''))}{self.bold}" if words else ""
        if _RULE.match(line):
            return "———"
        if quote := _QUOTE.match(line):
            return f"> {self._inline(quote[1])}"
        if bullet := _BULLET.match(line):
            return f"{bullet[1]}{self.bullet} {self._inline(bullet[2])}"
        return self._inline(line)

    def _inline(self, text: str) -> str:
        converted, end = [], 0
        for match in _INLINE.finditer(text):
            converted += [self.escape(text[end : match.start()]), self._piece(match)]
            end = match.end()
        return "".join([*converted, self.escape(text[end:])])

    def _piece(self, match: "re.Match[str]") -> str:
        groups = match.groupdict()
        if groups["code"]:
            return f"{groups['ticks']}{self.escape_code(groups['code'])}{groups['ticks']}"
        if groups["label"]:
            return self.format_link(re.sub(r"[`*]|\\(?=\W)", "", groups["label"]), groups["url"])
        if groups["auto"]:
            return self.format_link(groups["auto"], groups["auto"])
        marks = {"bold": self.bold, "italic": self.italic, "italic2": self.italic, "strike": self.strike}
        for name, mark in marks.items():
            if groups[name]:
                return f"{mark}{self._inline(groups[name])}{mark}"
        return self.escape(match[0] if self.has_escapes else groups["escaped"])


def _without_closing(words: str) -> str:
    """A heading's words without the `#` that may close it; one that belongs to a word, as in C#, stays."""
    bare = words.rstrip().rstrip("#")
    return bare.rstrip() if bare[-1:] in ("", " ", "\t") else words.rstrip()


def _slack(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _slack_link(label: str, address: str) -> str:
    safe = address.replace("&", "&amp;").replace("<", "%3C").replace(">", "%3E").replace("|", "%7C")
    return f"<{safe}|{label.replace('|', '¦') or safe}>"


def _discord(text: str) -> str:
    return _NOTIFYING.sub(lambda match: f"{match[0]}{_EMPTY}", text)


def _discord_sealed(text: str) -> str:
    """Names that notify, wherever they came together: behind a backslash, beside a label without a link, in code."""
    return _CALLING.sub(lambda match: f"{match[0]}{_EMPTY}", text)


def _discord_link(label: str, address: str) -> str:
    """In angle brackets, so that no preview is shown; a label that is an address itself would not become a link."""
    safe = _CALLING.sub("%40", address.replace("<", "%3C").replace(">", "%3E"))
    if _LINKED.match(label):
        return f"<{safe}>"
    return f"[{label.replace('[', '(').replace(']', ')')}](<{safe}>)"


SLACK = Dialect(
    section_limit=2_900,  # of 3,000
    message_limit=11_000,  # of about 13,200 for all blocks of a message
    escape=_slack,
    escape_code=_slack,
    seal=lambda text: text,
    link=_slack_link,
    bold="*",
    italic="_",
    strike="~",
    heading_levels=0,
    has_code_languages=False,
    bullet="•",
    has_escapes=False,
)
"""Slack's mrkdwn. Its special words such as `<!channel>` need angle brackets, and all of these are escaped."""

DISCORD = Dialect(
    section_limit=1_900,  # of 2,000
    message_limit=1_950,
    escape=_discord,
    escape_code=lambda text: text,
    seal=_discord_sealed,
    link=_discord_link,
    bold="**",
    italic="*",
    strike="~~",
    heading_levels=3,
    has_code_languages=True,
    bullet="-",
    has_escapes=True,
)
"""Discord's markdown. Names need an `@`, and the bot's messages may notify nobody in any case."""
