"""What is said of those who write in threads.

Belongs here: the words for an author. Not here: the document (`document` of each kind), the levels of headings
(`headwater.parsing.markdown.heading_levels`). Guarantee: pure.
"""


def name_author(author: str) -> str:
    """The words for an author behind a noun; empty if nobody is named."""
    return f" by {' '.join(author.split())}" if author.strip() else ""
