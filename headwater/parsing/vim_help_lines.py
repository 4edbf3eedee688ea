"""The signs in the lines of Vim's help, as Vim and its plugins have it in files of text and on pages.

Belongs here: rulers, tags, titles in capitals, what frames a file. Not here: paragraphs of pages
(`html.generators.vim_help`), files of text (`vim_texts`). Guarantee: pure and linear in the length of a line.
"""

import re

RULER = re.compile(r"(?P<mark>[=-])(?P=mark){19,}[ \t]*")
"""Stands above a heading."""
TAG = re.compile(r"(?<!\S)\*(?P<name>[^\s*|]+)\*(?!\S)")
"""The name of a place to which links lead."""
FRAME = re.compile(r"(?:^top - main help file|(?:^Copyright: see \S{1,100})?(?<![ \t])[ \t]*\bvim:\S{1,200}:)[ \t]*$")
"""What stands around the text of a file, such as settings of the editor."""
CAPITALS = re.compile(r"[A-Z][A-Z0-9 ,'/&()-]{3,60}")
"""A heading without a ruler."""


def read_title(line: str) -> tuple[str, str]:
    """The words of a heading, with the number that stands before it as a tag, and the line behind that."""
    section_tag = TAG.match(line)
    following = line[section_tag.end() :] if section_tag else line
    words = f"{section_tag['name'] if section_tag else ''} {TAG.sub('', following)}"
    return " ".join(words.split()).removesuffix("~").strip(), following
