"""What a chat model is sent for an answer.

Belongs here: the system message, the sources and the question, in this order. Not here: the words of the prompt
(`headwater/prompts/answer.md`), which sources (`prompt_sources`), calling the model. Guarantee: pure; a source cannot
end itself: what looks like the beginning of another source, like the question or like a new role is written so that it
reads as text.

The words are few and positive, and a refusal is one in words: of the prompts that were measured on two small models,
this one was right most often (bench/exam). Small models write a sentinel whatever the sources hold.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from string import Template

from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.generation.prompt_sources import PromptSource
from headwater.models_gateway.chat_model import Message
from headwater.prompts.invisible import without_invisible
from headwater.prompts.prompt import fill, own_words

_NO_ANSWER = "I don't know."
"""What models are told to say if the sources do not hold the answer."""
_NUMBERED = re.compile(r"^([ \t>*_#-]*)\[(\d+)\]", re.MULTILINE)
_ROLE = re.compile(
    r"^(?=[ \t>*_#-]*(?:question|q|answer|a|frage|antwort|system|user|assistant|human|ai|instructions?|sources?"
    r"|###[^\n]{0,40})"
    r"[ \t]*(?:\**[ \t]*:|\**[ \t]*$)|[ \t]*#{1,6}[ \t]*(?:system|user|assistant|instructions?|question|response)\b)",
    re.IGNORECASE | re.MULTILINE,
)
_TOKEN = re.compile(
    r"<(?=\|[^<>\n]{1,40}\|>|｜[^<>\n]{1,40}｜>|</?SYS>>|/?s>|/?(?:start|end)_of_turn>|/?(?:bos|eos|unk|pad)>|/?think>)"
    r"|\[(?=/?INST\])",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerPrompt:
    """The messages of a request; `own_words` are those of the prompt alone, and `version` identifies them."""

    messages: tuple[Message, ...]
    own_words: str
    version: str


def answer_prompt(
    settings: KnowledgeBaseSettings,
    question: str,
    sources: Sequence[PromptSource],
    *,
    word_limit: int,
    documents: Sequence[str] = (),
    instructions: str = "",
) -> AnswerPrompt:
    """Write the messages for an answer.

    A knowledge base's own prompt that names `$context` and `$question` is the only message; one that does not is the
    system message instead of ours.

    Args:
        settings: of the knowledge base; they may replace the words.
        question: the question as it can be understood alone.
        sources: the sources, numbered.
        word_limit: about how long the answer should be, for prompts that say so.
        documents: the titles of documents that are treated one after the other; empty if the answer is not grouped.
        instructions: wishes about tone, language and form; empty if there are none.
    """
    context = "\n\n".join(f"[{source.number}] {defuse(source.heading)}\n{defuse(source.text)}" for source in sources)
    question_block = "\n\n".join(
        filter(None, (_format_documents(documents), _wishes(instructions), f"Question: {defuse(question)}"))
    )
    system_prompt = fill("answer", settings, length=str(word_limit), no_answer=_NO_ANSWER)
    if "context" not in Template(settings.prompts.get("answer", "")).get_identifiers():
        messages = [
            Message(role="system", content=system_prompt.text),
            Message(role="user", content=f"{context}\n\n{question_block}"),
        ]
    else:
        full_prompt = fill(
            "answer", settings, length=str(word_limit), no_answer=_NO_ANSWER, context=context, question=question_block
        )
        messages = [Message(role="user", content=full_prompt.text)]
    return AnswerPrompt(messages=tuple(messages), own_words=system_prompt.text, version=system_prompt.version)


def defuse(text: str) -> str:
    """A text from outside that cannot be mistaken for another source, the question, or the message of a new role."""
    text = _NUMBERED.sub(r"\1(\2)", without_invisible(text))  # first: an invisible character would split a mark
    return _TOKEN.sub(lambda match: f"{match[0]} ", _ROLE.sub("> ", text))


def _format_documents(documents: Sequence[str]) -> str:
    if not documents:
        return ""
    titles = "\n".join(f"- {defuse(title)}" for title in documents)
    return (
        "Answer for one document after the other, in this order, each under a heading with its title. Then say in a "
        f"sentence where they differ.\n{titles}"
    )


def _wishes(instructions: str) -> str:
    return f"{own_words('instructions')}\n{defuse(instructions)}" if instructions else ""
