"""The prompt for an answer.

Belongs here: what the model is given, in which blocks. Not here: the words of the prompt (`prompts/answer.md`), calling
the model. Guarantee: text of documents and the question stand only in blocks of data, titles included.
"""

from collections.abc import Sequence

from headwater.answering.comparing import heading
from headwater.prompts.prompt import Prompt, data_blocks, fill, own_words
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.search import Passage
from headwater.retrieval.context import Context

NO_ANSWER = "NOT_IN_PASSAGES"
"""What a model writes if the passages do not hold the answer."""


def passage_texts(context: Context) -> dict[str, str]:
    """The text of each part of a context with its heading, by the label of its block."""
    return {f"passage-{part.number}": f"{part.heading}\n{part.text}" for part in context.parts}


def answer_prompt(
    settings: KnowledgeBaseSettings,
    question: str,
    context: Context,
    *,
    word_limit: int,
    compared: Sequence[Sequence[Passage]] = (),
    instructions: str = "",
) -> Prompt:
    """Fill in the prompt `answer`.

    Args:
        settings: of the knowledge base; they may replace the words.
        question: the question as it can be understood alone.
        context: the passages, numbered.
        word_limit: about how long the answer should be.
        compared: passages by document, if the answer is to be grouped by document.
        instructions: wishes about tone, language and form, which stand below the rules; empty if there are none.
    """
    texts = passage_texts(context)
    if compared:
        texts["documents"] = "\n".join(f"{n}. {heading(group)}" for n, group in enumerate(compared, start=1))
    if instructions:
        texts["instructions"] = instructions
    blocks = data_blocks({**texts, "question": question})
    asked = blocks.pop("question")
    if instructions:
        asked = "\n\n".join((asked, own_words("instructions"), blocks.pop("instructions")))
    return fill(
        "answer",
        settings,
        context="\n\n".join(blocks.values()),
        question=asked,
        length=str(word_limit),
        no_answer=NO_ANSWER,
    )
