"""Names of options and terms: those that a question has, and those in the label of the entry that explains one.

Belongs here: how both are spelt, so that they can be compared. Not here: where a document has entries
(`headwater.retrieval.reranking.option_entries`, `headwater.quote.fragments`), how much one counts. Guarantee: pure.
"""

import re
from collections.abc import Iterator

from headwater.understanding.entities import EntityKind, entities

_KINDS = (EntityKind.IDENTIFIER, EntityKind.QUOTED, EntityKind.PATH, EntityKind.NAME)
_OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")
_IDENTIFIER = re.compile(r"^[-$]|[\w)][._=([:][\w)=]*|_|=$")
_SHORT_OPTION = re.compile(r"-\w")


def find_names(question: str) -> dict[str, EntityKind]:
    """The names in a question, as `spell_name` spells them, and what each is; numbers and codes are none."""
    return {spell_name(entity.text): entity.kind for entity in entities(question) if entity.kind in _KINDS}


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
