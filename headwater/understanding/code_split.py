"""Separating code from the natural language of a question (RET-3).

Belongs here: recognising code in a question. Not here: code in documents (`headwater.chunking`). Guarantee: pure;
language and code together contain every visible character of the question, except the marks around code.
"""

import re
from dataclasses import dataclass

_FENCED = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n(.*?)(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"(?<!`)(`{1,2})(?!`)([^`\n]+)\1(?!`)")
_TRACE_START = re.compile(
    r"Traceback \(most recent call last\):|Exception in thread \"|Caused by: \S|goroutine \d+ \[|"
    r"thread '[^']*' panicked at"
)
_TRACE_LINE = re.compile(
    r"\s+\S|at \S+[(:]|File \"|Caused by: |\.\.\. \d+ more|created by \S+|\S+\(0x|[\w/.]+\.go:\d+|note: run with|$"
)
_FRAME = re.compile(r"\s*(?:at [\w$.<>]+\([^()]*\)|at \S+ \(\S+:\d+:\d+\)|File \"[^\"]+\", line \d+)")
_ERROR_LINE = re.compile(r"[\w.]*(?:Error|Exception|Warning|Exit|Interrupt)\b(?::|$)")
_CODE_LINE = re.compile(
    r"""\s*(?:
        \$\s+\S | >>>\s | \.\.\.\s | [#]!\s*/ | PS\s[A-Z]:\\            # prompts
      | (?:from\s+[\w.]+\s+)?import\s+[\w.{*] | \#include\s*[<"] | using\s+[\w.]+;| package\s+[\w.]+;?$
      | (?:async\s+)?def\s+\w+\s*\( | class\s+\w+\s*[:({] | func\s+[\w(] .*\{ | fn\s+\w+\s*[(<]
      | (?:public|private|protected|static|final)\s+[\w<>\[\]]+\s.*[({;] | (?:const|let|var)\s+\w+\s*[=:;]
      | (?:if|for|while|switch|else\s+if)\s*\(.*\)\s*\{? | (?:return|yield|raise|throw)\b.*[;)\]]$
      | (?:SELECT\s.+\sFROM|INSERT\s+INTO|UPDATE\s.+\sSET|DELETE\s+FROM)\s
      | (?:CREATE|ALTER|DROP)\s+(?:TABLE|INDEX|EXTENSION)\s
      | </?[A-Za-z][\w:-]*(?:\s+[\w:@-]+=["'{][^>]*)?\s*/?>.*$
      | @\w[\w.]*(?:\(.*\))?$ | [}\])]+[;,)]*$ | //\s | /\*
      | [\w.\[\]"']+\s*(?:[+\-*/|&]?=|:=)\s*\S.*$
      | [\w.]+\([^()]*(?:\([^()]*\)[^()]*)*\)[;:]?$
      | .*[;{]$
    )""",
    re.VERBOSE,
)
_IN_A_ROW = re.compile(r"(?<![^\W\d_])[^\W\d_]{2,}+,?\s++[^\W\d_]{2,}+,?\s++[^\W\d_]{2}")
"""Three words, possessive so that the work is linear in the text.

A line that ends with a full stop is a sentence, even if it mentions `x = 1`.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class CodeSplit:
    """A question in two parts; `code` holds blocks first, then inline code."""

    language_text: str
    code: tuple[str, ...]


def split_code(question: str) -> CodeSplit:
    """Separate code from a question: fenced blocks, stack traces, lines of code; inline code is in both parts.

    The last line of a stack trace names the error, so it stays in the language part too.

    Args:
        question: the question as it was asked.

    Returns:
        The language, without code blocks and backticks; empty if everything is code.
    """
    fenced = [match[2].strip("\n") for match in _FENCED.finditer(question)]
    text = _FENCED.sub("\n", question)
    inline = [match[2].strip() for match in _INLINE.finditer(text)]
    lines, blocks = _split_lines(_INLINE.sub(lambda match: match[2], text).split("\n"))
    language = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    return CodeSplit(
        language_text=language, code=tuple(block for block in (*fenced, *blocks, *inline) if block.strip())
    )


def _split_lines(lines: list[str]) -> tuple[list[str], list[str]]:
    """Lines of language, and blocks of neighbouring lines of code."""
    if sum(bool(line.strip()) for line in lines) < 2:  # a single line is a question, whatever it looks like
        return lines, []
    prose_lines: list[str] = []
    blocks: list[list[str]] = []
    in_trace = was_code = False
    for line in lines:
        is_error = in_trace and bool(_ERROR_LINE.match(line))
        in_trace = bool(_TRACE_START.match(line.strip())) or (
            in_trace and not is_error and bool(_TRACE_LINE.match(line))
        )
        is_code = in_trace or is_error or _is_code(line)
        if is_code:
            blocks = blocks if was_code else [*blocks, []]
            blocks[-1].append(line)
        prose_lines.append(line.strip() if is_error or not is_code else "")
        was_code = is_code
    return prose_lines, ["\n".join(block).strip("\n") for block in blocks]


def _is_code(line: str) -> bool:
    if not line.strip() or (line[-1] in ".?!:" and _IN_A_ROW.search(line)):
        return False
    return bool(_FRAME.match(line) or _CODE_LINE.match(line))
