"""Reading a prompt, and filling it in.

Belongs here: the default prompts, those that a knowledge base replaces, versions, blocks of data. Not here: the words
of the prompts (the `.md` files beside this module). Guarantee: the same values give the same text; a value is never
read as a placeholder.

A prompt names its values `$question`, `$context` and so on. Text from a source or a person stands in a block with a
seal, which nobody can write in advance: it is a hash of all blocks of the prompt.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template
from typing import Literal

from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings, PromptName
from headwater.prompts.invisible import without_invisible

_MARK = re.compile(r"</?data [\w-]+ [0-9a-f]{12}>")


@dataclass(frozen=True, kw_only=True, slots=True)
class Prompt:
    """A prompt that is filled in; `version` identifies its words without the values."""

    text: str
    version: str


def fill(name: PromptName, settings: KnowledgeBaseSettings, **values: str) -> Prompt:
    """Fill in a prompt: the knowledge base's own words if it has some, otherwise the default.

    Args:
        name: of the prompt.
        settings: of the knowledge base.
        values: the texts for its placeholders; an unknown placeholder stays as it is.
    """
    words = settings.prompts.get(name) or _default(name)
    return Prompt(text=Template(words).safe_substitute(values), version=prompt_version(name, settings))


def prompt_version(name: PromptName, settings: KnowledgeBaseSettings) -> str:
    """What identifies the words of a prompt: its name and a hash."""
    words = settings.prompts.get(name) or _default(name)
    return f"{name}-{hashlib.sha256(words.encode()).hexdigest()[:12]}"


def data_blocks(texts: Mapping[str, str]) -> dict[str, str]:
    """Put texts from outside into blocks that the model is told to read as data.

    Args:
        texts: each text under a label of letters, digits and hyphens, such as `passage-1`.

    Returns:
        For each label, its block: a line that opens it, the text, a line that closes it.
    """
    seen = {label: without_invisible(text) for label, text in texts.items()}
    seal = hashlib.sha256("\0".join(f"{label}\0{text}" for label, text in seen.items()).encode()).hexdigest()[:12]
    return {label: f"<data {label} {seal}>\n{text}\n</data {label} {seal}>" for label, text in seen.items()}


def without_marks(text: str) -> str:
    """Take out the lines that open and close blocks of data: a small model may repeat them in its reply."""
    return _MARK.sub("", text)


def own_words(name: Literal["context", "instructions"]) -> str:
    """The words of a prompt that no knowledge base replaces and that names no values."""
    return _default(name)


def default_prompt(name: str) -> str:
    """The words of a prompt that a knowledge base may replace."""
    return _default(name)


@cache
def _default(name: str) -> str:
    return files(__package__).joinpath(f"{name}.md").read_text(encoding="utf-8").strip()
