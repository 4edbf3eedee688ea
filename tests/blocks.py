"""Blocks of a text, and how well they fit a question.

Belongs here: what tests of answers without a model share. Not here: passages (`tests.passages`).
"""

from headwater.answering.asked import read_asked
from headwater.answering.fitting import Words, fits_of
from headwater.answering.sections import find_units
from headwater.quote.stretches import make_stretches
from headwater.answering.units import Shape, Unit
from headwater.understanding.words import content_words
from tests.passages import passage


def units(text: str) -> list[Unit]:
    """The blocks that a passage with this text is read as."""
    return list(find_units(make_stretches([passage(text)], ())[0]))


def unit(text: str, shape: Shape) -> Unit:
    """The first block of a shape."""
    return next(one for one in units(text) if one.shape == shape)


def fits(question: str, one: Unit) -> dict[str, float]:
    """How well a block fits a question, by what is compared."""
    own = frozenset(content_words(one.text))
    near = frozenset(content_words(" ".join((*one.headings[-1:], one.lead))))
    return fits_of(one, read_asked(question), Words(asked=frozenset(content_words(question)), own=own, near=near))
