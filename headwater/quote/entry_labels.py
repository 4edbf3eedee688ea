"""The option or the term that an entry of a list or a section explains.

Belongs here: the label of an item, and the names in a label. Not here: which text stands below a heading
(`breadcrumbs`), the labels of rows (`fragment_evidence`). Guarantee: pure.
"""

import re
from collections.abc import Iterator

from headwater.quote.inline_cleanup import clean_inline

# Words in bold, italics or code, an option or capitals at the beginning of an item, and a colon or a dash behind them.
_LABEL = re.compile(
    r"(?:[-*+•]|\d{1,9}[.)])[ \t]+"
    r"(?P<label>(?:\*{1,2}(?=\S)|`|_(?=\w)|--?(?=[A-Za-z])|[A-Z][A-Z _-]{1,120}(?=:))(?:[^\n.!?:]|[.:](?=\w)){0,120}?)"
    r"(?::|:\*{1,2}|(?<![ \t])[ \t]++[—–-])(?=\s)"
)
_OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")
_IDENTIFIER = re.compile(r"^[-$]|[\w)][._=([:][\w)=]*|_|=$")
_SHORT_OPTION = re.compile(r"-\w")
_MARKS = re.compile(r"\*+|`+")


def find_entry_label(text: str, start: int, end: int) -> str:
    """The words that an item explains, such as an option of a command; what is torn off them says little.

    Args:
        text: the text that the item stands in.
        start: where the item begins, with its mark.
        end: where it ends.

    Returns:
        The words without markup; empty if the item explains none.
    """
    match = _LABEL.match(text, start, end)
    return " ".join(_MARKS.sub("", clean_inline(match["label"])).split()).rstrip(":") if match else ""


def split_names(label: str) -> Iterator[str]:
    """The names in a label, as `spell_name` spells them: `-t, --topic=NAME` has `-t` and `--topic`.

    Of other parts than options, the name is all of it, and its first word if that looks like an identifier, because a
    value may stand behind it: `max_rate count`.
    """
    for name in label.replace("[no-]", "").split(","):
        words = name.split()
        yield spell_name(" ".join(words).rstrip("=:"))
        if words and is_identifier(words[0]):
            yield from (spell_name(option[0]) for option in _OPTION.finditer(name))
            yield spell_name(words[0].rstrip("=:"))


def is_identifier(word: str) -> bool:
    """Whether a word is spelt as only an option or a setting is, such as `-t`, `max_rate` and `Restart=`."""
    return _IDENTIFIER.search(word) is not None


def spell_name(name: str) -> str:
    """A name in small letters, unless it is an option of one letter: `-T` is another one than `-t`."""
    return name if _SHORT_OPTION.fullmatch(name) else name.casefold()
