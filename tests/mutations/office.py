"""Mutations of what reads office files: headings by their look, contents, code, old Word files, RTF.

Belongs here: their list. Not here: the runner (`run`). Guarantee: each is found by at least one of its tests.
"""

from tests.mutations.mutation import Mutation

_OFFICE = "headwater/parsing/office"
_DOCX = ("tests/unit/test_parsing_docx.py",)
_RTF = ("tests/unit/test_parsing_rtf.py",)

OFFICE = (
    Mutation(
        file=f"{_OFFICE}/line_headings.py",
        old="return 2 * bold_length > sum(",
        new="return False and 2 * bold_length > sum(",
        tests=_DOCX,
        why="in a text that is bold, every short line would be a heading",
    ),
    Mutation(
        file=f"{_OFFICE}/line_headings.py",
        old="for line in self._lines[:-1]:",
        new="for line in self._lines:",
        tests=_DOCX,
        why="who signed a letter is no heading",
    ),
    Mutation(
        file=f"{_OFFICE}/line_headings.py",
        old="candidates = {line.element: line for line in self._drop_lists() if line.element not in self._cover}",
        new="candidates = {line.element: line for line in self._drop_lists()}",
        tests=_DOCX,
        why="the large words of a cover would hold all that follows",
    ),
    Mutation(
        file=f"{_OFFICE}/line_headings.py",
        old='titles = (property_title if is_of_text else "", largest_line,',
        new="titles = (property_title, largest_line,",
        tests=_DOCX,
        why="the properties are often those of a copied file",
    ),
    Mutation(
        file=f"{_OFFICE}/typed_contents.py",
        old=" and pages == sorted(pages):",
        new=":",
        tests=_DOCX,
        why="a price list is no table of contents",
    ),
    Mutation(
        file=f"{_OFFICE}/docx_lines.py",
        old=' and not is_on(child.find(f"{W}rPr"), "vanish")',
        new="",
        tests=_DOCX,
        why="hidden words say nothing about the look of a line",
    ),
    Mutation(
        file=f"{_OFFICE}/docx_styles.py",
        old="bold=_bold(element) if style.bold is None else style.bold,",
        new="bold=bool(style.bold or _bold(element)),",
        tests=_DOCX,
        why="a style may switch the weight of its base off",
    ),
    Mutation(
        file=f"{_OFFICE}/typed_prose.py",
        old="and len(plain_words) >= _PROSE_SHARE * len(words)",
        new="and True",
        tests=_DOCX,
        why="code would be joined into paragraphs",
    ),
    Mutation(
        file=f"{_OFFICE}/strict_open_xml.py",
        old='rb"(?<==[\\"\'])http://purl',
        new='rb"http://purl',
        tests=_DOCX,
        why="a text that names the standard stays as it is",
    ),
    Mutation(
        file=f"{_OFFICE}/pptx_lists.py",
        old="return None if mark is None else mark.tag != _NONE",
        new="return None if mark is None or mark.tag == _NONE else True",
        tests=("tests/unit/test_parsing_pptx.py",),
        why="lines that say that they have no bullet are no items",
    ),
    Mutation(
        file=f"{_OFFICE}/pptx_lists.py",
        old="            counts.pop(level, None)\n",
        new="",
        tests=("tests/unit/test_parsing_pptx.py",),
        why="after a line without a number, a list starts at its first number",
    ),
    Mutation(
        file=f"{_OFFICE}/charts.py",
        old=" and int(place) < self._point_count",
        new="",
        tests=("tests/unit/test_chart_data.py",),
        why="a chart that claims many points would fill the memory",
    ),
    Mutation(
        file="headwater/parsing/opendocument/odf_file.py",
        old="        self._objects_left.remove(name)\n",
        new="",
        tests=("tests/unit/test_opendocument_lists.py",),
        why="a chart that stands in a file a thousand times would be read as often",
    ),
    Mutation(
        file=f"{_OFFICE}/rtf_group.py",
        old="is_skipped = self.is_skipped or self.skips_next",
        new="is_skipped = self.is_skipped",
        tests=_RTF,
        why="a text for old programs would stand beside that in Unicode",
    ),
    Mutation(
        file=f"{_OFFICE}/rtf_text.py",
        old="        self._bytes += text[self._repeated :]",
        new="        self._bytes += text[0:]",
        tests=_RTF,
        why="each character of Unicode would be followed by a question mark",
    ),
    Mutation(
        file=f"{_OFFICE}/rtf_tree.py",
        old="word in SKIPPED or (is_starred and word not in KNOWN)",
        new="word in SKIPPED",
        tests=_RTF,
        why="what programs note for themselves is no text",
    ),
    Mutation(
        file=f"{_OFFICE}/rtf_story.py",
        old="if self._lists.has(use, level) and not is_number(label):",
        new="if self._lists.has(use, level):",
        tests=_RTF,
        why="LibreOffice writes where a list goes on only before its items",
    ),
    Mutation(
        file=f"{_OFFICE}/rtf_fonts.py",
        old="        return content.decode(page, ",
        new="        return content.decode(self._page, ",
        tests=_RTF,
        why="each font has a code page of its own",
    ),
    Mutation(
        file="headwater/parsing/opendocument/odf_lines.py",
        old="share *= (_number(",
        new="share = (_number(",
        tests=("tests/unit/test_parsing_opendocument.py",),
        why="a size may be a share of another share",
    ),
    Mutation(
        file="headwater/parsing/epub.py",
        old="return min(containers, key=len, default=_CONTAINER).removesuffix(_CONTAINER)",
        new='return ""',
        tests=("tests/unit/test_parsing_formats.py",),
        why="some books are packed with their folder",
    ),
    Mutation(
        file="headwater/parsing/compound_files.py",
        old="    if max(sizes) > len(content):",
        new="    if False:",
        tests=("tests/unit/test_parsing_doc.py",),
        why="a circle of sectors is read as long as the file says it is",
    ),
)
