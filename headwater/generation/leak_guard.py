"""Noticing that a model repeats its instructions instead of answering.

Belongs here: comparing a reply with the words of the prompt. Not here: what a reply says about the documents.
Guarantee: pure; of a run of the prompt's words, fewer than `LIMIT` come out; a reply that repeats nothing is held back
by nothing.

A text in a source can tell a model to print its instructions; a knowledge base's own prompt may be confidential.
"""

import re

from headwater.errors import GenerationFailedError

LIMIT = 12
"""Words in a row that count as repeating: more than `prompts.echo.RUN`, since a false alarm costs an answer."""
_SUSPICIOUS = 4  # words in a row from which on the reply is held back
_NOT_A_WORD = re.compile(r"\W+")


class RepeatedPromptError(GenerationFailedError):
    """The model repeated its instructions; nothing of this reply is shown."""


class LeakGuard:
    """Holds back what may repeat a prompt.

    Args:
        words: the prompt's own words, without passages and question.
        model: the model, for the message.
        but: the passages and the question, whose words a reply may repeat.
    """

    def __init__(self, words: str, model: str, *, but: str = "") -> None:
        self._prompt = _normalize_spaces(words)
        self._given = _normalize_spaces(but)
        self._model = model
        self._run: list[str] = []  # the last words, as long as the prompt has them in a row
        self._word = ""
        self._held = ""

    def feed(self, text: str) -> str:
        """Return what may come out after more text.

        Raises:
            RepeatedPromptError: the reply repeats the prompt.
        """
        self._held += text
        *words, self._word = _NOT_A_WORD.split(self._word + text)
        for word in words:
            self._note(word)
        return "" if len(self._run) >= _SUSPICIOUS else self._release()

    def end(self) -> str:
        """Return the rest.

        Raises:
            RepeatedPromptError: as for `feed`.
        """
        self._note(self._word)
        return self._release()

    def _release(self) -> str:
        pending, self._held = self._held, ""
        return pending

    def _note(self, word: str) -> None:
        if not word:
            return
        self._run.append(word.casefold())
        while self._run and f" {' '.join(self._run)} " not in self._prompt:
            del self._run[0]
        if len(self._run) >= LIMIT and f" {' '.join(self._run)} " not in self._given:
            raise RepeatedPromptError(
                f"{self._model} repeated its instructions instead of answering; a passage may have told it to. Nothing "
                "was stored. Look at what the question finds with `headwater search`, or choose another answer_model."
            )


def _normalize_spaces(text: str) -> str:
    return f" {' '.join(filter(None, _NOT_A_WORD.split(text.casefold())))} "
