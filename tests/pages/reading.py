"""A page as a list of blocks, and what its comments say of them.

Belongs here: finding blocks and their comments. Not here: running them (`shell`). Guarantee: a comment that no rule
knows, and a block of output that no command prints, are errors.

A comment directly above a block says what readers need not see:

- `<!-- file: notes.yaml -->`: the block is this file;
- `<!-- run: COMMANDS -->`: these commands run before the block; if the block shows output, it is theirs;
- `<!-- not run: REASON -->`: the block, or its output, cannot be had in a test.
"""

import re
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(
    r"(?:^<!-- (?P<rule>file|run|not run):\s(?P<text>(?:(?!-->).)*?)\s*-->\n+)?"
    r"^(?P<indent> *)```(?P<language>\w*)\n(?P<body>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
_COMMENT = re.compile(r"<!-- (?:file|run|not run):")
_OUTPUT = ("text", "json")


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """A block of a page: its language, its text, its line; and what the comment above it says."""

    language: str
    body: str
    line: int
    rule: str
    text: str
    is_output: bool
    """Whether it shows what the commands right above it print."""


def read_page(path: Path) -> list[Block]:
    """Read a page's blocks, in order.

    Raises:
        ValueError: a comment belongs to no block.
    """
    page = path.read_text(encoding="utf-8")
    blocks: list[Block] = []
    end, after = 0, ""
    for found in _BLOCK.finditer(page):
        follows = not page[end : found.start()].strip() and after == "sh"
        is_output = found["language"] in _OUTPUT and (follows if found["rule"] is None else found["rule"] == "run")
        blocks.append(
            Block(
                language=found["language"],
                body=found["body"],
                line=page.count("\n", 0, found.start()) + 1,
                rule=found["rule"] or "",
                text=found["text"] or "",
                is_output=is_output,
            )
        )
        end, after = found.end(), found["language"]
    if len(_COMMENT.findall(page)) != sum(bool(block.rule) for block in blocks):
        raise ValueError(f"{path.name}: a comment stands above no block")
    return blocks
