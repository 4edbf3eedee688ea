"""Reading pieces of HTML for connectors in a process of its own.

Belongs here: several pieces at once, as JSON and back. Not here: reading one (`fragment`). Guarantee: a piece that a
library never comes to an end with costs only the document that it belongs to; every field has its type.
"""

import json
from collections.abc import Sequence
from typing import Any

from headwater.parsing.html.fragment import fragment_markdown
from headwater.parsing.parser import File
from headwater.parsing.reader import Reader, invalid_answer


class FragmentReader(Reader):
    """Reads pieces of HTML: a list of pairs, the HTML and the level of the heading that it stands under."""

    def answer(self, file: File) -> Any:
        """The markdown of each, and its links."""
        pieces = json.loads(file.content)
        return [fragment_markdown(html, file.uri, below=level) for html, level in pieces]


def read_fragments(pieces: Sequence[tuple[str, int]], uri: str) -> tuple[list[str], tuple[str, ...]]:
    """Read pieces of HTML, each with the level of the heading that it stands under.

    Returns:
        The markdown of each, and the addresses that they link to.

    Raises:
        DocumentError: one of them cannot be read.
    """
    answer = FragmentReader.read(json.dumps(list(pieces)).encode(), uri)
    try:
        texts = [text for text, _ in answer]
        links = tuple(dict.fromkeys(link for _, fragment_links in answer for link in fragment_links))
    except (TypeError, ValueError) as error:
        raise invalid_answer(error) from error
    if len(texts) != len(pieces) or not all(isinstance(value, str) for value in (*texts, *links)):
        raise invalid_answer(TypeError())
    return texts, links
