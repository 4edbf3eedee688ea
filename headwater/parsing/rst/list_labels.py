"""The labels of numbered lists, such as `(b)`, to which a text refers.

Belongs here: which items have one. Not here: the lists themselves (`rst_markdown`), numerals (`numerals`).
Guarantee: pure.
"""

from docutils import nodes

from headwater.parsing.numerals import write_letters, write_roman


def read_labels_of_items(node: nodes.Element) -> list[str]:
    """The label of each item of a list, as it stands in the text; empty for bullets and for numbers of markdown."""
    kind = node.get("enumtype", "arabic")
    if kind == "arabic":
        return [""] * len(node.children)
    write = write_roman if kind.endswith("roman") else write_letters
    places = range(int(node.get("start", 1)), int(node.get("start", 1)) + len(node.children))
    words = [write(place).upper() if kind.startswith("upper") else write(place) for place in places]
    return [f"{node.get('prefix', '')}{word}{node.get('suffix', '.')}" for word in words]
