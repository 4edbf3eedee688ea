"""Slack's mrkdwn as markdown.

Belongs here: converting the text of a message. Not here: messages (`message`), markdown for Slack
(`integrations.dialects`). Guarantee: code stays as it is; nothing becomes a heading or HTML; links lead to http, https
and mail addresses only.
"""

import re
from collections.abc import Mapping

from headwater.domain.slack_markup import replace_marks, unescape

_CODE_PATTERN = re.compile(r"```(?P<block>.+?)```|`(?P<span>[^`\n]+)`", re.DOTALL)
_PAIR_PATTERN = re.compile(
    r"(?<![\w*~\\])(?P<mark>[*~])(?=[^\s*~])(?P<words>[^*~\n]{1,2000})(?<=\S)(?P=mark)(?![\w*~])"
)
_BULLET_PATTERN = re.compile(r"^([ \t]*)[•◦▪](?=\s)", re.MULTILINE)
_QUOTE_PATTERN = re.compile(r"^>>>[ \t]*", re.MULTILINE)
"""What begins a quote of all that follows; in markdown it would be a quote within quotes."""
_MARKDOWN_PATTERN = re.compile(
    r"^(?P<blank>[ \t]*)(?P<mark>#(?=[\s#])|~(?=~~)|[=-](?=[=-]*[ \t]*$))|(?P<ticks>`)(?=``)", re.MULTILINE
)
"""What would begin or underline a heading in markdown, or begin code."""
_TAG_PATTERN = re.compile(r"<(?=[A-Za-z/!?])")
_LINK_PATTERN = re.compile(r"(?:https?://|mailto:)[^\s<>]+", re.IGNORECASE)
_PLACE, _PLACE_PATTERN = "\ue000{}\ue001", re.compile("\ue000(\\d+)\ue001")


def to_markdown(text: str, names: Mapping[str, str]) -> str:
    """The text of a message as markdown.

    Args:
        text: the text, as Slack sends it.
        names: the names of people by their ids.
    """
    text = text.replace("\r\n", "\n").replace("\ue000", "").replace("\ue001", "")
    pieces: list[str] = []
    end = 0
    for match in _CODE_PATTERN.finditer(text):
        pieces += [_prose(text[end : match.start()], names), _code(match["block"], match["span"], names)]
        end = match.end()
    return "".join([*pieces, _prose(text[end:], names)]).strip()


def _code(block: str | None, span: str | None, names: Mapping[str, str]) -> str:
    code = unescape(replace_marks(block or span or "", lambda target, label: label or _plain(target, names)))
    return f"`{code}`" if span else "\n```\n" + code.strip("\n") + "\n```\n"


def _prose(text: str, names: Mapping[str, str]) -> str:
    """Text without code. Marks are put aside meanwhile, because their addresses may hold the signs of other marks."""
    aside: list[str] = []

    def put_aside(target: str, label: str) -> str:
        aside.append(_mark(target, label, names))
        return _PLACE.format(len(aside) - 1)

    plain = unescape(replace_marks(text, put_aside))
    plain = _TAG_PATTERN.sub(r"\\<", plain)
    plain = _MARKDOWN_PATTERN.sub(_escape, plain)
    plain = _QUOTE_PATTERN.sub("> ", _BULLET_PATTERN.sub(r"\1-", plain))
    plain = _PAIR_PATTERN.sub(lambda match: f"{match['mark'] * 2}{match['words']}{match['mark'] * 2}", plain)
    return _PLACE_PATTERN.sub(lambda match: aside[int(match[1])], plain)


def _escape(match: "re.Match[str]") -> str:
    return f"{match['blank'] or ''}\\{match['mark'] or match['ticks']}"


def _mark(target: str, label: str, names: Mapping[str, str]) -> str:
    """A person, a channel, a word for many, or a link."""
    address, words = unescape(target), " ".join(unescape(label).split())
    if not _LINK_PATTERN.fullmatch(address):
        sign = target[:1] if target.startswith(("@", "#")) and not words.startswith(target[:1]) else ""
        return f"{sign}{words}" if words else _plain(target, names)
    if address == f"mailto:{words}":
        return words
    if words in ("", address):
        return f"<{address}>"
    safe = address.replace("(", "%28").replace(")", "%29")
    return f"[{words.replace('[', '(').replace(']', ')')}]({safe})"


def _plain(target: str, names: Mapping[str, str]) -> str:
    """What a mark without a label stands for."""
    if target.startswith("@"):
        return f"@{names.get(target[1:], target[1:])}"
    if target.startswith("!"):
        return f"@{target[1:].partition('^')[0]}"
    return unescape(target)
