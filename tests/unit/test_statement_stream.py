"""Where the statements of a growing reply end, and where their markers belong."""

import pytest

from headwater.generation.markers import MarkerScanner
from headwater.generation.statement_stream import StatementStream


def _marked(*pieces: str) -> str:
    """The text, with `{numbers}` where markers belong."""
    scanner, stream = MarkerScanner(9, lambda _: False), StatementStream()
    out = [each for piece in pieces for item in scanner.feed(piece) for each in stream.feed(item)]
    out += [each for item in scanner.end() for each in stream.feed(item)]
    out += stream.end()
    return "".join(one if isinstance(one, str) else f"{{{','.join(map(str, one.numbers))}}}" for one in out)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("One [1]. Two. [2] Three", "One{1}. Two{2}. Three{}"),
        ("It has [1] two parts [2].", "It has two parts{1,2}."),
        ("One ([1]). Two ([2], [3]).", "One{1}. Two{2,3}."),
        ("See e.g. Dr. Smith. No. 5 is 3.5 m.", "See e.g. Dr. Smith{}. No. 5 is 3.5 m{}."),
        ("**Forty litres.** More.", "**Forty litres.**{} More{}."),
        ("- One [1]\n- Two. Three\n2. Four [2]\n", "- One{1}\n- Two{}. Three{}\n2. Four{2}"),
        ("One.\n\n[3]\n\nTwo.", "One{3}.\n\nTwo{}."),
        ("Use `a. B` now. Then", "Use `a. B` now{}. Then{}"),
        ("水は四十です[1]。次に。", "水は四十です{1}。次に{}。"),
        ("Run:\n```sh\na. B\n```\nThen [2].", "Run:{}\n```sh\na. B\n```{}\n\nThen{2}."),
        ("````\n```\nA. B\n````\nEnd.", "````\n```\nA. B\n````{}\n\nEnd{}."),
        ("| a | b |\n|---|---|\n| c. D | d [1] |\nText.", "| a | b |\n|---|---|\n| c. D | d |{1}\n\nText{}."),
        ("(One.) (Two [2].)", "(One.){} (Two.){2}"),
        ("Really?! Yes… [1]", "Really{}?! Yes{1}…"),
    ],
)
def test_a_statement_ends_where_a_reader_sees_it(reply: str, expected: str) -> None:
    """However the reply was cut; markers move to the end of their statement, out of code and tables."""
    assert _marked(reply) == expected
    assert _marked(*reply) == expected
    assert _marked(reply[:7], reply[7:]) == expected
