"""Faults in answers that a chat model writes.

Belongs here: mutations of `headwater.answering.generative`. Not here: applying them (`run`). Guarantee: each names the
tests that must notice it.
"""

from tests.mutations.mutation import Mutation

_HERE = "headwater/answering/generative"
_MARKERS = ("tests/unit/test_reply_markers.py",)
_REPLIES = ("tests/unit/test_model_replies.py",)
_WHOLE = ("tests/integration/test_generative_answers.py",)

GENERATIVE = (
    Mutation(
        file=f"{_HERE}/markers.py",
        old="min(high, self._count) + 1",
        new="high + 1 if high < 99 else self._count + 1",
        tests=_MARKERS,
        why="a number that is no passage comes out as a marker",
    ),
    Mutation(
        file=f"{_HERE}/markers.py",
        old="            if _UNCLOSED.search(self._line):",
        new="            if False:",
        tests=_MARKERS,
        why="what is left around a marker that vanished is a marker",
    ),
    Mutation(
        file=f"{_HERE}/markers.py",
        old=" and self._is_known(address)",
        new="",
        tests=_MARKERS,
        why="a reply links to an address that no passage has",
    ),
    Mutation(
        file=f"{_HERE}/markers.py",
        old='if text == ":" and self._after and _LABEL.match(self._line):',
        new="if False:",
        tests=_MARKERS,
        why="a reply says where the markers of a number lead",
    ),
    Mutation(
        file=f"{_HERE}/markers.py",
        old="if is_tag and not _is_escaped(self._line)",
        new="if is_tag",
        tests=_MARKERS,
        why="a backslash before HTML makes it active",
    ),
    Mutation(
        file=f"{_HERE}/code.py",
        old='if "`" not in rest:',
        new="if True:",
        tests=_MARKERS,
        why="inline code at the beginning of a line hides the markers behind it",
    ),
    Mutation(
        file=f"{_HERE}/citing.py",
        old="citation.start <= start and end <= citation.end",
        new="citation.start <= end",
        tests=_REPLIES,
        why="a second place of a passage gets the number of the first",
    ),
    Mutation(
        file=f"{_HERE}/citing.py",
        old="if supported and carried * 2 > words:",
        new="if supported:",
        tests=_REPLIES,
        why="one supported sentence lends its citation to an answer from elsewhere",
    ),
    Mutation(
        file=f"{_HERE}/support.py",
        old="weight if word in said else weight * _ASKED",
        new="weight",
        tests=_REPLIES,
        why="the question's words decide which sentence is cited",
    ),
    Mutation(
        file=f"{_HERE}/reply.py",
        old="not self._says_nothing and not self._citing.citations and not says_nothing(self.text)",
        new="not self._says_nothing and not self._citing.citations",
        tests=_REPLIES,
        why="a model that finds no answer is cited for saying so",
    ),
    Mutation(
        file=f"{_HERE}/leaks.py",
        old="len(self._run) >= LIMIT and",
        new="len(self._run) >= 9 * LIMIT and",
        tests=(*_REPLIES, *_WHOLE),
        why="a reply repeats the prompt",
    ),
    Mutation(
        file=f"{_HERE}/answerer.py",
        old="text=refused if reading.text else None,",
        new="text=None,",
        tests=_WHOLE,
        why="what no passage supports is stored as a refusal's text",
    ),
    Mutation(
        file=f"{_HERE}/prompting.py",
        old='blocks = data_blocks({**texts, "question": question})',
        new='blocks = {**texts, "question": question}',
        tests=_WHOLE,
        why="an order in a document stands outside a block of data",
    ),
)
