"""What single blocks are for: labels, lead-ins, steps, and how much of them is one answer.

Belongs here: judging blocks by their words and their neighbours. Not here: finding blocks (`blocks`), putting them
together (`units`). Guarantee: pure.
"""

import re
from collections.abc import Sequence

from headwater.quote.blocks import Block, Kind, each_block
from headwater.parsing.headings import plain_heading

_SECTION_LIMIT = 3_000  # characters of a section that is one answer, with its code
TEXT_LIMIT = 1_400  # characters of it outside code: about 200 words
STEPS_LIMIT = 2_000  # the same if it is a procedure
_LABEL_LIMIT = 80  # characters
_LABEL_WORDS = 4  # of a label that ends with a colon: a longer line leads to the paragraph below it
_WORD = re.compile(r"\w+")
_LABEL = re.compile(
    r"(?:[\w.-]+ )?(?:\*\*|__)[^*_\n](?:[^\n]*[^*_\n])?(?:\*\*|__)[^\w\n]{0,3}|"
    r"(?:[\w.-]+ )?\*\*`[^`\n]+`\*\*[^\n]{0,80}"
)
_LINKED = re.compile(  # bounded: brackets that nobody closes would take quadratic time
    r"!?\[(?:[^\[\]]|\[[^\]]{0,200}\]){0,500}\](?:\([^)\s]{0,1000}+(?:\s[^)]{0,200}+)?\)|\[[^\]]{0,200}+\])?"
)
_ADMONITION_MARK = re.compile(r"^!!! \w+ \"([^\"]*)\"|^!!! (?=\w)")
_ORDER = re.compile(
    r"(?:first|then|next|finally|lastly|now|once|after|to|in the|on the|select|click|open|run|create|add|go to|"
    r"navigate|"
    r"choose|enter|type|copy|paste|set|install|download|log in|sign in|begin|start|edit|save|press|check|change|"
    r"restart|wait|"
    r"visit|make sure|fill|find|scroll|upload|delete|remove|confirm|verify|configure|deploy|repeat)\b", re.IGNORECASE
)  # fmt: skip
_DEFINER = re.compile(
    r"(?:data|class|function|method|attribute|exception|module|decorator|option|property|type|const|setting|envvar) "
)
_STEP = re.compile(r"(?:step|phase|stage|part)\s+(\d{1,2})\b", re.IGNORECASE)
COLON = re.compile(r"[:：](?:\*\*|__|[*_])?$")


def words_alone(text: str) -> int:
    """How many words of a text are outside links and images."""
    return len(_WORD.findall(_LINKED.sub("", text)))


def run_of(blocks: Sequence[Block], at: int) -> Sequence[Block]:
    """The blocks that continue one: code after code, a numbered list after code that interrupts it."""
    end, block = at + 1, blocks[at]
    if block.kind == Kind.CODE:
        while end < len(blocks) and blocks[end].kind == Kind.CODE:
            end += 1
        return blocks[at:end]
    if not block.number:
        return blocks[at:end]
    number = block.number + len(block.parts)
    for place in range(at + 1, len(blocks)):
        other = blocks[place]
        if other.kind == Kind.LIST and other.number == number:
            number += len(other.parts)
            end = place + 1
        elif other.kind == Kind.LIST and other.number:
            break
    if end > at + 1 and end < len(blocks) and blocks[end].kind == Kind.CODE:
        end += 1  # the code of the last step
    return blocks[at:end]


def is_steps(block: Block) -> bool:
    """Whether a block is a numbered list, or a further part of one."""
    return block.kind == Kind.LIST and block.number > 0 and (len(block.parts) > 1 or block.number > 1)


def length(blocks: Sequence[Block]) -> int:
    """Characters of some blocks."""
    return sum(block.end - block.start for block in blocks)


def fits(blocks: Sequence[Block], limit: int = TEXT_LIMIT) -> bool:
    """Whether blocks are short enough to be one answer."""
    code = sum(block.end - block.start for block in each_block(blocks) if block.kind == Kind.CODE)
    return length(blocks) <= _SECTION_LIMIT and length(blocks) - code <= limit


def orders(text: str) -> bool:
    """Whether a paragraph says what to do."""
    return _ORDER.match(text) is not None


def leads(text: str, following: Block | None) -> bool:
    """Whether a paragraph leads to the block below it."""
    if following is None or following.kind not in (Kind.LIST, Kind.CODE, Kind.TABLE):
        return False
    return COLON.search(text) is not None or text.endswith("?") or following.kind in (Kind.CODE, Kind.TABLE)


def is_label(text: str, following: Block | None) -> bool:
    """Whether a paragraph is a heading in all but markup: a line in bold, a signature, a few words without an end."""
    if following is None or "\n" in text or len(text) > _LABEL_LIMIT * 2:
        return False
    if _LABEL.fullmatch(text) or text.startswith("!!! "):
        return True
    if (
        following.kind == Kind.PARAGRAPH
        and text[-1] in ":："
        and len(text.split()) <= _LABEL_WORDS
        and text[0].isupper()
    ):
        return True
    is_title = len(text) <= _LABEL_LIMIT and text[0].isupper() and (text[-1].isalnum() or text[-1] == "?")
    return is_title and following.kind not in (Kind.CODE, Kind.TABLE)


def step_number(name: str) -> int:
    """The number of a label or heading such as `Step 2: Open the valve`, otherwise 0."""
    step = _STEP.match(name)
    return int(step[1]) if step else 0


def steps_of(names: Sequence[tuple[int, str]]) -> Sequence[int]:
    """The places of the labels or headings that are steps 1, 2 and so on; none if there is only one.

    Args:
        names: their places and words, in order.
    """
    places: list[int] = []
    for place, name in names:
        if step_number(name) == len(places) + 1:
            places.append(place)
        elif places:
            break
    return places if len(places) > 1 else []


def defined(term: str) -> str:
    """The name that a signature defines."""
    return _DEFINER.sub("", term, count=1).partition("(")[0]


def label_words(text: str) -> str:
    """The words of a label, without marks."""
    return plain_heading(_ADMONITION_MARK.sub(r"\1", text)).strip(" :")
