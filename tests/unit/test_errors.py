"""The error tree."""

from headwater import errors
from headwater.errors import HeadwaterError


def _tree(kind: type[HeadwaterError]) -> list[type[HeadwaterError]]:
    return [kind, *(each for child in kind.__subclasses__() for each in _tree(child))]


def _own() -> list[type[HeadwaterError]]:
    return [kind for kind in _tree(HeadwaterError) if kind.__module__ == errors.__name__]


def test_the_drawing_is_the_tree() -> None:
    """Every class stands in the module's drawing with its code and status."""
    drawing = errors.__doc__ or ""
    for kind in _own():
        line = next(line for line in drawing.splitlines() if f" {kind.__name__} " in line)
        assert line.split()[-2:] == [kind.code, str(kind.http_status)], kind


def test_codes_are_unique() -> None:
    """A code means one thing."""
    codes = [kind.code for kind in _own()]
    assert len(codes) == len(set(codes))


def test_an_error_without_words_says_what_its_class_says() -> None:
    """The docstring is the default message."""
    assert str(errors.FencedError()) == "A newer sync of this source has taken over, so this one must not publish."
