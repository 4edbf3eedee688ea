"""Faults in answers that a chat model writes.

Belongs here: mutations of `headwater.generation`, and of what `headwater.answering` makes of it. Not here: applying
them (`run`). Guarantee: each names the tests that must notice it.
"""

from tests.mutations.mutation import Mutation

_HERE = "headwater/generation"
_MARKERS = ("tests/unit/test_reply_markers.py",)
_REPLIES = ("tests/unit/test_model_replies.py",)
_SUPPORT = ("tests/unit/test_reply_support.py", "tests/unit/test_model_replies.py")
_STREAM = ("tests/unit/test_statement_stream.py",)
_MESSAGES = ("tests/unit/test_prompt_messages.py",)
_BENEATH = ("tests/unit/test_quote_block.py",)
_WHOLE = ("tests/integration/test_generative_answers.py",)
_STAND_INS = ("tests/integration/test_stand_ins.py",)

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
        file=f"{_HERE}/code_splitter.py",
        old='if "`" not in following:',
        new="if True:",
        tests=_MARKERS,
        why="inline code at the beginning of a line hides the markers behind it",
    ),
    Mutation(
        file=f"{_HERE}/leak_guard.py",
        old="len(self._run) >= LIMIT and",
        new="len(self._run) >= 9 * LIMIT and",
        tests=(*_REPLIES, *_WHOLE),
        why="a reply repeats the prompt",
    ),
    Mutation(
        file=f"{_HERE}/citations.py",
        old="citation.start <= start and end <= citation.end",
        new="citation.start <= end",
        tests=_REPLIES,
        why="a second place of a passage gets the number of the first",
    ),
    Mutation(
        file=f"{_HERE}/support.py",
        old="weights[word] * _ASKED for word in question_words",
        new="weights[word] for word in question_words",
        tests=_SUPPORT,
        why="the question's words decide which sentence is cited",
    ),
    Mutation(
        file=f"{_HERE}/support.py",
        old="if statement.values.difference(*(source.values for source in sources)):",
        new="if False:",
        tests=_SUPPORT,
        why="a number that stands in no source is cited",
    ),
    Mutation(
        file=f"{_HERE}/support.py",
        old="if statement.names.difference(*(source.words for source in self._sources)):",
        new="if False:",
        tests=_SUPPORT,
        why="a name that stands in no source is cited",
    ),
    Mutation(
        file=f"{_HERE}/support.py",
        old="if not (statement.values or statement.code) and not self._is_close(",
        new="if False and not self._is_close(",
        tests=("tests/unit/test_reply_support.py",),
        why="the words of a heading support a statement",
    ),
    Mutation(
        file=f"{_HERE}/support.py",
        old="if self._is_opposite(statement, best, share):",
        new="if False:",
        tests=_SUPPORT,
        why="the opposite of what a source says is cited",
    ),
    Mutation(
        file=f"{_HERE}/support.py",
        old="hint = _HINT if source.number in numbers else 0.0",
        new="hint = 1.0 if source.number in numbers else 0.0",
        tests=_REPLIES,
        why="the model's wrong number decides",
    ),
    Mutation(
        file=f"{_HERE}/reply.py",
        old="elif declines(end.text) and not self.has_support:",
        new="elif False:",
        tests=_REPLIES,
        why="a reply that declines is shown",
    ),
    Mutation(
        file=f"{_HERE}/reply.py",
        old="        if not self.has_declined:\n            yield from self._let_out()\n\n    def notes",
        new="        yield from self._let_out()\n\n    def notes",
        tests=_REPLIES,
        why="what a model says when it declines comes out at its end",
    ),
    Mutation(
        file=f"{_HERE}/statement_stream.py",
        old='return not (statement.kind == "table" and character == "|")',
        new="return True",
        tests=_STREAM,
        why="markers stand between the rows of a table",
    ),
    Mutation(
        file=f"{_HERE}/prompt_messages.py",
        old="    text = _NUMBERED.sub(",
        new="    text = text or _NUMBERED.sub(",
        tests=_MESSAGES,
        why="a source can begin another one",
    ),
    Mutation(
        file=f"{_HERE}/prompt_messages.py",
        old='_ROLE.sub("> ", text)',
        new="text",
        tests=_MESSAGES,
        why="a source can ask the question",
    ),
    Mutation(
        file=f"{_HERE}/disagreement.py",
        old="if theirs and there.isdisjoint(mine):",
        new="if False:",
        tests=_BENEATH,
        why="a quote with another number says nothing",
    ),
    Mutation(
        file="headwater/answering/generative_answerer.py",
        old="or not task.settings.quote_when_model_fails",
        new="",
        tests=_STAND_INS,
        why="the setting that wants errors is ignored",
    ),
    Mutation(
        file="headwater/answering/generative_answerer.py",
        old="text=fallback.text if task.reading.text else None",
        new="text=None",
        tests=_WHOLE,
        why="what no passage supports is stored as a refusal's text",
    ),
    Mutation(
        file="headwater/answering/stand_in.py",
        old="    if is_answered(evidence, quotes):",
        new="    if quotes:",
        tests=_STAND_INS,
        why="a quote that does not answer stands in for a model that found no answer",
    ),
    Mutation(
        file="headwater/answering/record.py",
        old=" and answer.degraded is None",
        new="",
        tests=_STAND_INS,
        why="what stands in for a model is served again",
    ),
    Mutation(
        file="headwater/store/work/answer_extras.py",
        old='        if UUID(item["document_version_id"]) in available\n',
        new="",
        tests=_WHOLE,
        why="a line of a deleted document is shown",
    ),
)
