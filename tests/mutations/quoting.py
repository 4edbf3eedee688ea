"""Mutations of quotes: what is quoted whole, what is taken along, how it is written and cited.

Belongs here: fragments, what is selected of them, markdown, markers. Not here: finding passages (`searching`), reading
questions (`questions`).
"""

from tests.mutations.mutation import Mutation

_FRAGMENTS = "headwater/quote/fragments.py"
_QUOTES = "headwater/quote/quotes.py"
_EVIDENCE = "headwater/quote/fragment_evidence.py"
_WINDOWS = "headwater/quote/windows.py"
_EXTENSION = "headwater/quote/extension.py"
_RENDERING = "headwater/quote/quote_markdown.py"
_NAMES = "headwater/understanding/entry_names.py"
_BREADCRUMBS = "headwater/quote/breadcrumbs.py"
_INLINE = "headwater/quote/inline_cleanup.py"
_ANSWERER = "headwater/answering/quote_answerer.py"
_TEXT = "headwater/answering/quote_text.py"
_FRAGMENT_TESTS = ("tests/unit/test_quote_fragments.py",)
_WINDOW_TESTS = ("tests/unit/test_quote_windows.py",)
_SELECTION_TESTS = ("tests/unit/test_quote_selection.py",)
_CHOICE_TESTS = ("tests/unit/test_quotes.py",)
_RENDERING_TESTS = ("tests/unit/test_quote_markdown.py",)
_INLINE_TESTS = ("tests/unit/test_inline_cleanup.py",)
_ANSWERER_TESTS = ("tests/unit/test_quote_answerer.py",)

QUOTING = (
    Mutation(
        file=_WINDOWS,
        old="words + _HEADING_WORDS * self.headed_share",
        new="words",
        tests=_WINDOW_TESTS,
        why="without a model, a section is not known by its heading",
    ),
    Mutation(
        file=_WINDOWS,
        old="is_known = embedder.knows(question.language)",
        new="is_known = True",
        tests=_WINDOW_TESTS,
        why="a model of another language decides",
    ),
    Mutation(
        file=_WINDOWS,
        old="_NAMED_ROW * max(self.row_share, self.selection.entry_share)",
        new="_NAMED_ROW * self.selection.entry_share",
        tests=_WINDOW_TESTS,
        why="a row that the question names is not read",
    ),
    Mutation(
        file=_WINDOWS,
        old="+ _ENTRY * window.entry_share",
        new="",
        tests=_WINDOW_TESTS,
        why="a text that mentions an option comes before the option's own entry",
    ),
    Mutation(
        file=_WINDOWS,
        old="+ _COMPARED_ENTRY * self.selection.entry_share",
        new="",
        tests=_WINDOW_TESTS,
        why="in other languages, a mention of a term comes before its entry",
    ),
    Mutation(
        file=_EVIDENCE,
        old="words == self.weights.keys()",
        new="False",
        tests=_WINDOW_TESTS,
        why="a term in small letters is not known by its entry",
    ),
    Mutation(
        file=_NAMES,
        old="return name if _SHORT_OPTION.fullmatch(name) else name.casefold()",
        new="return name.casefold()",
        tests=_WINDOW_TESTS,
        why="-T is the same option as -t",
    ),
    Mutation(
        file=_EXTENSION,
        old="quoted = _add_opening(quoted) if wants_opening else quoted",
        new="quoted = quoted",
        tests=_WINDOW_TESTS,
        why="a section that asks the question is quoted from its middle",
    ),
    Mutation(
        file=_BREADCRUMBS,
        old="if outer is not None and has_text_above:",
        new="if False:",
        tests=("tests/unit/test_quote_breadcrumbs.py",),
        why="text above the first heading is shown as part of the section below it",
    ),
    Mutation(
        file=_WINDOWS,
        old="- _MISSING * missing_names",
        new="",
        tests=_WINDOW_TESTS,
        why="what has none of the question's names answers it",
    ),
    Mutation(
        file=_WINDOWS,
        old="missing_names = question.share(known_names - window.names, known_names)",
        new="missing_names = question.share(question.names - window.names, question.names)",
        tests=_WINDOW_TESTS,
        why="a name that no passage has, such as that of a company, refuses",
    ),
    Mutation(
        file=_EVIDENCE,
        old="<= max(texts, default=0.0)",
        new="<= 0",
        tests=_WINDOW_TESTS,
        why="a row is quoted instead of the sentence beside it",
    ),
    Mutation(
        file=_EVIDENCE,
        old="_whole(label).search(self._spelt) is not None",
        new="True",
        tests=_WINDOW_TESTS,
        why="a row is named by a part of a longer name",
    ),
    Mutation(
        file=_EVIDENCE,
        old="is_labelled = bool(words) and any(fragment.cells[1:])",
        new="is_labelled = bool(words) and bool(fragment.cells)",
        tests=_WINDOW_TESTS,
        why="the label of a group of rows is quoted without them",
    ),
    Mutation(
        file=_EXTENSION,
        old="hidden_rows = frozenset() if wants_list else _find_hidden_rows(window)",
        new="hidden_rows = frozenset()",
        tests=_WINDOW_TESTS,
        why="a row that the question names is quoted with its neighbours",
    ),
    Mutation(
        file=_EXTENSION,
        old="elif not label and position - 1 in rows:",
        new="elif False:",
        tests=_WINDOW_TESTS,
        why="a row is quoted without those that continue it",
    ),
    Mutation(
        file="headwater/parsing/rst/parser.py",
        old='for paragraph in _split_items(lines.strip("\\n"), _MAX_DEPTH):',
        new="for paragraph in (lines,):",
        tests=("tests/unit/test_parsing_rst.py",),
        why="a long table of lists is refused",
    ),
    # What is quoted whole.
    Mutation(
        file=_FRAGMENTS,
        old="for start, end in sentence_spans(self._text, line, stop):",
        new="for start, end in sentence_spans(self._text, line, stop)[:1]:",
        tests=_FRAGMENT_TESTS,
        why="only the first sentence of a paragraph is quoted",
    ),
    Mutation(
        file=_FRAGMENTS,
        old="_MAX_ITEM_WORDS = 80",
        new="_MAX_ITEM_WORDS = 1",
        tests=_FRAGMENT_TESTS,
        why="an item is split from its sub-items",
    ),
    Mutation(
        file=_FRAGMENTS,
        old="_LEAD.search(last.plain) is not None",
        new="True",
        tests=_FRAGMENT_TESTS,
        why="any sentence above a list introduces it",
    ),
    Mutation(
        file=_FRAGMENTS,
        old="is_lead = last.kind == Kind.PARAGRAPH and last.headings == headings and",
        new="is_lead = last.kind == Kind.PARAGRAPH and",
        tests=_FRAGMENT_TESTS,
        why="a sentence of another section introduces a list",
    ),
    Mutation(
        file=_FRAGMENTS,
        old="header=header or self._header_above())",
        new="header=header)",
        tests=_FRAGMENT_TESTS,
        why="rows of a table that crosses chunks have no header",
    ),
    Mutation(
        file=_WINDOWS,
        old="lead = fragments[start].lead",
        new="lead = None",
        tests=_SELECTION_TESTS,
        why="an item is quoted without the sentence that introduces its list",
    ),
    Mutation(
        file=_WINDOWS,
        old="and fragments[end].headings == fragments[start].headings",
        new="",
        tests=_SELECTION_TESTS,
        why="a quote goes on into another section",
    ),
    Mutation(
        file=_EXTENSION,
        old="if not is_beside or words + added > MAX_WORDS:",
        new="if not is_beside:",
        tests=_SELECTION_TESTS,
        why="a quote is as long as its section",
    ),
    Mutation(
        file=_WINDOWS,
        old="_COMPARED_WORDS * self.share - _RANK * self.rank",
        new="_COMPARED_WORDS * self.share + _RANK * self.rank",
        tests=_CHOICE_TESTS,
        why="the worst passage answers",
    ),
    Mutation(
        file=_WINDOWS,
        old="window.score(close, is_known=is_known)",
        new="window.score(None)",
        tests=_WINDOW_TESTS,
        why="what the model says is left out",
    ),
    Mutation(
        file="headwater/models_gateway/late_interaction.py",
        old="nearest: Vectors = (_to_units(asked) @ _to_units(text).T).max(axis=1)",
        new="nearest: Vectors = (_to_units(asked) @ _to_units(text).T).mean(axis=1)",
        tests=("tests/unit/test_late_interaction.py",),
        why="a token is compared with all tokens of a text, not with its nearest",
    ),
    # What a cross-encoder reads.
    Mutation(
        file=_WINDOWS,
        old="return sorted(read, key=lambda window: -odds[id(window)])",
        new="return list(read)",
        tests=_WINDOW_TESTS,
        why="the words decide, not the model that has read the windows",
    ),
    Mutation(
        file=_WINDOWS,
        old="odds[id(window)] += _SIMILARITY * float(asked @ vector)",
        new="pass",
        tests=_WINDOW_TESTS,
        why="vectors do not decide between windows that were found equally good",
    ),
    Mutation(
        file=_WINDOWS,
        old="if batch and max((window.score for window in read), default=0.0) < _LIKELY:",
        new="if batch:",
        tests=_WINDOW_TESTS,
        why="windows are read though one that answers is known",
    ),
    Mutation(
        file=_WINDOWS,
        old="extend_window(window, wants_list=wants_list, wants_opening=_is_asked_by_heading(question, window))",
        new="window",
        tests=_WINDOW_TESTS,
        why="the line behind the sentence that answers is not quoted",
    ),
    Mutation(
        file=_EXTENSION,
        old="for direction in (behind[:needed], ahead, behind[needed:]):",
        new="for direction in (ahead, behind):",
        tests=_WINDOW_TESTS,
        why="a quote begins with a word that refers to what it leaves out",
    ),
    Mutation(
        file=_EXTENSION,
        old="quoted = _complete_list(quoted) if wants_list else quoted",
        new="return quoted",
        tests=_SELECTION_TESTS,
        why="a list that is asked for is quoted from its middle",
    ),
    # Which quote answers.
    Mutation(
        file=_QUOTES,
        old="for selection in _best_of_sections(selections)]",
        new="for selection in selections[:MAX_QUOTES]]",
        tests=_CHOICE_TESTS,
        why="two quotes are of one section",
    ),
    Mutation(
        file=_QUOTES,
        old="deciding if len(chosen) > 1 else None",
        new="None",
        tests=_CHOICE_TESTS,
        why="nothing shows which sentence answers",
    ),
    Mutation(
        file=_QUOTES,
        old="start=stretch.start + first.start,",
        new="start=first.start,",
        tests=_CHOICE_TESTS,
        why="a citation begins at the offset in the stretch, not in the version",
    ),
    Mutation(
        file=_QUOTES,
        old="end=stretch.start + last.end,",
        new="end=stretch.start + first.end,",
        tests=_CHOICE_TESTS,
        why="a citation ends with the first sentence",
    ),
    Mutation(
        file=_EVIDENCE,
        old="has_quantity=is_wanted and has_quantity(fragment.plain),",
        new="has_quantity=has_quantity(fragment.plain),",
        tests=_SELECTION_TESTS,
        why="a number counts where none was asked for",
    ),
    # Markdown.
    Mutation(
        file=_RENDERING,
        old="return self.rows(fragment.header, [row], empty) if is_first else self._row(row, empty)",
        new="return self._row(row, empty)",
        tests=_RENDERING_TESTS,
        why="a row is quoted without its header",
    ),
    Mutation(
        file=_RENDERING,
        old='return f" {_GAP} " if is_gap else',
        new="return",
        tests=_RENDERING_TESTS,
        why="sentences that were left out are not marked",
    ),
    Mutation(
        file=_RENDERING,
        old='return self._item(fragment.block, fragment.mark or (number_match[0] if number_match else "-"))',
        new='return self._item(fragment.block, "-")',
        tests=_RENDERING_TESTS,
        why="steps lose their numbers",
    ),
    Mutation(
        file=_RENDERING,
        old="max(3, longest + 1)",
        new="3",
        tests=_RENDERING_TESTS,
        why="a fence within code ends it",
    ),
    Mutation(
        file=_INLINE,
        old='if label and url.startswith(("http://", "https://")) else label',
        new="if label and url else label",
        tests=_INLINE_TESTS,
        why="a link of a document runs a script",
    ),
    Mutation(
        file=_INLINE,
        old="return f\"({match['marker']})\"",
        new="return match[0]",
        tests=_INLINE_TESTS,
        why="a number in brackets of a document is taken for a citation",
    ),
    # Markers and citations.
    Mutation(
        file=_TEXT,
        old='end = " " if quote.is_open else "\\n\\n"',
        new='end = " "',
        tests=_ANSWERER_TESTS,
        why="a marker becomes part of the code above it",
    ),
    Mutation(
        file=_TEXT,
        old="first: int = 1) ->",
        new="first: int = 0) ->",
        tests=_ANSWERER_TESTS,
        why="markers count from 0",
    ),
    Mutation(
        file="headwater/quote/citation.py",
        old="(quote.start, quote.end),",
        new="(quote.start, quote.start),",
        tests=_ANSWERER_TESTS,
        why="a citation ends where it begins",
    ),
    Mutation(
        file="headwater/quote/quote_markdown.py",
        old='texts = [TASK_SIGNS.get(mark["task"], "")] if mark and is_item else []',
        new="texts = []",
        tests=("tests/unit/test_quote_markdown.py::test_a_task_says_whether_it_is_done",),
        why="what nobody did yet is told as a fact",
    ),
    Mutation(
        file="headwater/quote/dialogue.py",
        old=" or not 1 < len(counts) < len(turns):",
        new=":",
        tests=("tests/unit/test_quote_dialogue.py",),
        why="definitions, and notes of one kind, would be speakers",
    ),
    Mutation(
        file="headwater/quote/dialogue.py",
        old="    if not any(turn.has_time or _is_full_name(turn.name) for turn in turns):\n",
        new="    if False:\n",
        tests=("tests/unit/test_quote_dialogue.py",),
        why="in a reference, Returns and Raises would speak",
    ),
    Mutation(
        file="headwater/quote/dialogue.py",
        old="self._turns = sorted([*turns, *breaks])",
        new="self._turns = turns",
        tests=("tests/unit/test_quote_dialogue.py",),
        why="the last speaker would say what stands in the next section",
    ),
    Mutation(
        file=_RENDERING,
        old="return _name_speaker(fragments[position]) or gap",
        new="return gap",
        tests=("tests/unit/test_quote_dialogue.py",),
        why="nobody would know who said what is quoted",
    ),
)
