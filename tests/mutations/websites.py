"""Mutations of websites: which pages stay, which disappear, what is asked for, what is left out.

Belongs here: the connector `website` and the HTML parser. Not here: the gate and the HTTP client (`safety`).
"""

from tests.mutations.mutation import Mutation

_SITE = ("tests/unit/test_sources_website.py",)
_HTML = ("tests/unit/test_parsing_html.py",)
_GENERATORS = ("tests/unit/test_html_of_generators.py",)
_PAGES = "headwater/sources/website/page_reader.py"
_WALK = "headwater/sources/website/connector.py"
_ROBOTS = "headwater/sources/website/robots.py"
_REPEATS = "headwater/sources/website/boilerplate.py"
_CONTENT = "headwater/parsing/html/content.py"
_FRAME = "headwater/parsing/html/page_frame.py"
_MEASURES = "headwater/parsing/html/element_text.py"
_TEXT = "headwater/parsing/html/html_tree.py"

WEBSITES = (
    Mutation(
        file=_PAGES,
        old="links=state.links, marks=state.marks, is_unknown_failure=not uri)",
        new="marks=state.marks, is_unknown_failure=not uri)",
        tests=_SITE,
        why="pages below a failing page disappear",
    ),
    Mutation(
        file=_PAGES,
        old="return Visit(item=UnchangedDocument(uri=uri), uri=uri, links=state.links, marks=state.marks)",
        new="return Visit(item=UnchangedDocument(uri=uri), uri=uri, marks=state.marks)",
        tests=_SITE,
        why="pages below an unchanged page disappear",
    ),
    Mutation(
        file=_PAGES,
        old="_GONE = (404, 410)",
        new="_GONE = (404, 410, 500)",
        tests=_SITE,
        why="a server's error removes a document",
    ),
    Mutation(
        file=_WALK,
        old="if visit.is_unknown_failure and not self._reader.knows_links and not self._incomplete:",
        new="if False:",
        tests=_SITE,
        why="in a full sync, pages below a failing page disappear",
    ),
    Mutation(
        file=_WALK,
        old="        if not pages:\n            self._refuse_empty",
        new="        if False:\n            self._refuse_empty",
        tests=_SITE,
        why="an empty sitemap removes every document",
    ),
    Mutation(
        file=_ROBOTS,
        old="if response.status == 429 or response.status >= 500:",
        new="if False:",
        tests=_SITE,
        why="a site is read whose robots.txt failed",
    ),
    Mutation(
        file=_REPEATS,
        old="_MIN_PAGES = 4",
        new="_MIN_PAGES = 2",
        tests=_SITE,
        why="text that a few pages share is dropped",
    ),
    Mutation(
        file=_REPEATS,
        old="_RUN = 5",
        new="_RUN = 4",
        tests=_SITE,
        why="paragraphs that some pages share are dropped",
    ),
    Mutation(
        file=_REPEATS,
        old=" and len(block.text) >= _LONG",
        new="",
        tests=_SITE,
        why="labels between paragraphs are dropped",
    ),
    Mutation(
        file=_REPEATS,
        old='content_hash(_TARGET.sub("]", block.text))',
        new="content_hash(block.text)",
        tests=_SITE,
        why="links to the next page are content",
    ),
    Mutation(
        file=_MEASURES,
        old='element.tag in _LEAVES or (element.tag == "div" and',
        new='element.tag in _LEAVES or (element.tag == "none" and',
        tests=_HTML,
        why="a page whose paragraphs are called div loses all but its lists",
    ),
    Mutation(
        file=_FRAME,
        old=" and element.getparent() not in survey.holders",
        new="",
        tests=_HTML,
        why="boxes of a book are dropped",
    ),
    Mutation(
        file=_CONTENT,
        old="return list(zip(words, words[1:], words[2:], strict=False))",
        new="return [(text,)]",
        tests=_GENERATORS,
        why="paragraphs that are broken into lines are lost",
    ),
    Mutation(
        file=_FRAME,
        old='return _HAS.sub(" ", ',
        new="return str(",
        tests=_GENERATORS,
        why="methods of Rust's reference are lost",
    ),
    Mutation(
        file=_CONTENT,
        old="len(plain_words(element)) <= sum(linked) + allowed",
        new="True",
        tests=_HTML,
        why="a paragraph that links to another language is dropped",
    ),
    Mutation(
        file="headwater/parsing/html/metadata.py",
        old="not is_beginning or",
        new="",
        tests=_HTML,
        why="a title that is a link is taken for the name of the site",
    ),
    Mutation(
        file=_TEXT,
        old="count > _MAX_ATTRIBUTES and",
        new="count > 1_000_000 and",
        tests=_HTML,
        why="an element's attributes take the square of their number",
    ),
    Mutation(
        file=_CONTENT,
        old="body if is_fragment else _find_declared(body)",
        new="_find_declared(body)",
        tests=("tests/unit/test_html_front_matter.py",),
        why="a site generator's file loses the text above its largest part",
    ),
)
