"""Names stay as good as they are: what `make house` counts may fall, and not rise."""

import pytest

from bench.house import PRODUCT, VAGUE, House, is_participle
from headwater.settings import REPOSITORY

# Lower a figure when you have lowered the count; CONTRIBUTING.md has the rule.
_MAX_ACTIVE_MODULES = 4
_MAX_REPEATED_NAMES = 38
_MAX_PARTICIPLES = 117
_MAX_VAGUE_VARIABLES = 175
_MAX_PRIVATE_USES = 4


@pytest.fixture(scope="module")
def house() -> House:
    """The modules of Headwater."""
    return House(REPOSITORY, PRODUCT)


def test_modules_are_named_by_nouns(house: House) -> None:
    """Not by what they do, and each name is used once, except for those that every kind or layer has."""
    active, repeated = house.active_modules(), house.repeated_names()
    assert len(active) <= _MAX_ACTIVE_MODULES, active
    assert len(repeated) <= _MAX_REPEATED_NAMES, repeated


def test_functions_begin_with_a_verb(house: House) -> None:
    """A participle says what is there afterwards, not what the function does."""
    participles = sorted(filter(is_participle, house.functions()))
    assert len(participles) <= _MAX_PARTICIPLES, participles


def test_variables_say_what_they_hold(house: House) -> None:
    """`found`, `one`, `own` and such could be anything."""
    assert sum(name in VAGUE for name in house.assigned_names()) <= _MAX_VAGUE_VARIABLES


def test_few_places_use_what_is_private_in_libraries(house: House) -> None:
    """Each may break with the library's next version."""
    places = list(house.private_uses())
    assert len(places) <= _MAX_PRIVATE_USES, places


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("join_names", False),
        ("joined", True),
        ("_missing_key", True),
        ("embed_texts", False),
        ("heading_path", False),
        ("__missing__", False),
        ("found", True),
        ("red", False),
    ],
)
def test_participles_are_told_from_verbs_and_nouns(name: str, expected: bool) -> None:
    """Also from nouns that end in -ing, and from names that Python gives."""
    assert is_participle(name) is expected
