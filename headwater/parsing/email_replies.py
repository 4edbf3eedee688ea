"""What a message says itself, without what it quotes and without its signature.

Belongs here: telling quoted text, the lines that announce it, and signatures. Not here: MIME (`email_messages`).
Guarantee: pure; by their form, in any language; a message that would be empty without them keeps them.
"""

import re
from collections.abc import Sequence
from itertools import takewhile

_QUOTED = re.compile(r"\s{0,3}>")
_ANNOUNCED = re.compile(r".*[:：]\s*\**\s*\Z")
_BROKEN = re.compile(r"(?=.*[\d,@]).{1,100}(?<![.!?:;。])\s*")
"""A line that an announcement may begin in: with a date, a comma or an address, and without a sentence's end."""
_FIELD = re.compile(r"[\s>*_]{0,6}[^\W\d_][\w \-]{0,24}\**\s?[:：]\**\s+\S")
_RULE = re.compile(r"\s*(?:[-_]{5,}.{0,60}[-_]{5,}|_{20,}|\\?-{20,})\s*")
_RULE_ABOVE_HEADER = re.compile(r"\s*_{5,}\s*")  # Outlook's; elsewhere, it parts sections or is a blank of a form
_SIGNED = re.compile(r"\\?-- ?")
_FORWARDED = re.compile(r"(?:fwd?|wg|tr|rv|enc|vs|i|doorst|pd|转发|轉寄|転送)\s*[:：]", re.IGNORECASE)
_REPLIED = re.compile(r"[^\W\d_]{1,4}(?:\[\d+\])?\s?[:：]")
_MAX_SIGNATURE_LINES = 12
_MAX_SIGNATURES = 2  # the sender's, and what a list adds below it
_MAX_ANNOUNCING_LINES = 3
_MAX_ANNOUNCING_CHARS = 200
_SENTENCE_END = re.compile(r"[^\W\d_]{3,}[.!?]\s+[^\W\d_]{2,}")
_MIN_FIELDS = 3


def is_reply(subject: str, references: str) -> bool:
    """Whether a message answers another, so that what it quotes is that one's text."""
    return not _FORWARDED.match(subject.strip()) and bool(references or _REPLIED.match(subject.strip()))


def own_text(text: str, *, answers: bool) -> str:
    """The text of a message without its signature and, if it answers another, without what it quotes.

    Otherwise the header of a message within it becomes a list, as its own header is one.
    """
    lines = [line if line.strip() else "" for line in text.split("\n")]
    lines = _without_quotes(_before_header(lines)) if answers else _list_headers(lines)
    cleaned = "\n".join(_without_signature(lines)).strip()
    return re.sub(r"\n{3,}", "\n\n", cleaned) if cleaned else text.strip()


def _before_header(lines: Sequence[str]) -> list[str]:
    """The lines before the header of a message that is quoted below without marks, as Outlook does."""
    for index, line in enumerate(lines):
        previous_lines = lines[max(0, index - 3) : index]
        if _FIELD.match(line) is not None and _is_header(_fields(lines[index : index + 12]), previous_lines):
            answer_lines = list(lines[:index])
            _drop_rules(answer_lines)
            return answer_lines or list(lines)
    return list(lines)


def _list_headers(lines: Sequence[str]) -> list[str]:
    """The lines with the header of a forwarded message as a list, without the rule above it."""
    listed: list[str] = []
    index = 0
    while index < len(lines):
        header = list(takewhile(_FIELD.match, lines[index : index + 12]))
        if _is_header(header, lines[max(0, index - 3) : index]):
            _drop_rules(listed)
            listed += ["", *(f"- {' '.join(line.split())}" for line in header), ""]
        else:
            header = []
            listed.append(lines[index])
        index += max(1, len(header))
    return listed


def _is_header(fields: Sequence[str], previous_lines: Sequence[str]) -> bool:
    """Whether lines are the header of a message: several fields with an address, or below a rule."""
    previous_line = next((line for line in reversed(previous_lines) if line.strip()), "")
    has_address = any("@" in line for line in fields)
    return len(fields) >= _MIN_FIELDS and (has_address or _RULE.fullmatch(previous_line) is not None)


def _drop_rules(lines: list[str]) -> None:
    """Drop rules and blank lines from the end."""
    while lines and (not lines[-1].strip() or _RULE.fullmatch(lines[-1]) or _RULE_ABOVE_HEADER.fullmatch(lines[-1])):
        lines.pop()


def _fields(lines: Sequence[str]) -> list[str]:
    """The lines that name a sender, a date and the like, with which lines begin."""
    return list(takewhile(_FIELD.match, (line for line in lines if line.strip())))


def _without_quotes(lines: Sequence[str]) -> list[str]:
    answer_lines: list[str] = []
    was_quoted = False
    for line in lines:
        is_quoted = _QUOTED.match(line) is not None
        if is_quoted and not was_quoted:
            _drop_announcement(answer_lines)
        if not is_quoted:
            answer_lines.append(line)
        was_quoted = is_quoted or (was_quoted and not line.strip())
    return answer_lines


def _drop_announcement(answer_lines: list[str]) -> None:
    """Drop the lines that announce a quote, such as "On Monday, Ann wrote:", from the end."""
    end = len(answer_lines)
    while end and not answer_lines[end - 1].strip():
        end -= 1
    if not end or not _ANNOUNCED.fullmatch(answer_lines[end - 1]):
        return
    begin = end - 1
    while begin and end - begin < _MAX_ANNOUNCING_LINES and _BROKEN.fullmatch(answer_lines[begin - 1]):
        begin -= 1
    announcement = " ".join(answer_lines[begin:end])
    is_text = len(announcement) > _MAX_ANNOUNCING_CHARS or _SENTENCE_END.search(announcement)
    if re.search(r"\d|@", announcement) and not is_text:
        del answer_lines[begin:]


def _without_signature(lines: Sequence[str]) -> Sequence[str]:
    for _ in range(_MAX_SIGNATURES):
        lines = lines[: _find_signature(lines)]
    return lines


def _find_signature(lines: Sequence[str]) -> int:
    """The index of the line above a signature or a footer at the end; the number of lines without one."""
    for index in range(len(lines) - 1, max(-1, len(lines) - 2 - _MAX_SIGNATURE_LINES), -1):
        lines_below = [line for line in lines[index + 1 :] if line.strip()]
        has_address = any("@" in line or "://" in line for line in lines_below)
        is_footer = has_address and _RULE.fullmatch(lines[index]) and len(_fields(lines_below)) < _MIN_FIELDS
        if _SIGNED.fullmatch(lines[index]) or is_footer:
            return index
    return len(lines)
