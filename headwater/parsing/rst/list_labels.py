"""The labels of numbered lists, such as `(b)`, to which a text refers.

Belongs here: letters and Roman numerals. Not here: the lists themselves (`rst_markdown`). Guarantee: pure.
"""

from docutils import nodes

_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


def read_labels_of_items(node: nodes.Element) -> list[str]:
    """The label of each item of a list, as it stands in the text; empty for bullets and for numbers of markdown."""
    kind = node.get("enumtype", "arabic")
    if kind == "arabic":
        return [""] * len(node.children)
    write = _write_roman if kind.endswith("roman") else _write_letter
    places = range(int(node.get("start", 1)), int(node.get("start", 1)) + len(node.children))
    words = [write(place).upper() if kind.startswith("upper") else write(place) for place in places]
    return [f"{node.get('prefix', '')}{word}{node.get('suffix', '.')}" for word in words]


def _write_letter(place: int) -> str:
    return chr(ord("a") + (place - 1) % 26)


def _write_roman(place: int) -> str:
    numeral = ""
    for value, letters in _ROMAN:
        numeral += letters * (place // value)
        place %= value
    return numeral
