"""How commands and functions are called, as lines of text.

Belongs here: synopses of DocBook. Not here: other elements (`docbook_html`). Guarantee: every word of a synopsis stays.
"""

from headwater.parsing.xml import Element

SYNOPSES = frozenset(
    {
        "classsynopsis",
        "cmdsynopsis",
        "constructorsynopsis",
        "destructorsynopsis",
        "fieldsynopsis",
        "funcsynopsis",
        "methodsynopsis",
    }
)
_METHODS = frozenset({"constructorsynopsis", "destructorsynopsis", "methodsynopsis"})
_BRACKETS = {"opt": "[{}]", "req": "{{{}}}"}


def write_synopsis(element: Element) -> str:
    """A synopsis, without its fence."""
    name = _name(element)
    if name == "cmdsynopsis":
        return _write_command(element)
    if name == "funcsynopsis":
        return "\n".join(
            _write_function(child) if _name(child) == "funcprototype" else _words(child) for child in element
        )
    if name == "classsynopsis":
        return "\n".join(_write_member(child) for child in element)
    return _write_member(element)


def _write_command(element: Element) -> str:
    """Arguments as manual pages write them: `[OPTION...]`, `{a | b}`."""
    texts = [element.text or ""]
    for child in element:
        name = _name(child)
        if name in ("arg", "group"):
            words = " | ".join(map(_argument, child)) if name == "group" else _write_command(child)
            texts.append(f" {_bracket(child, words)} ")
        elif name == "sbr":
            texts.append("\n")
        else:
            texts.append(f" {_words(child)} " if name == "command" else _words(child))
        texts.append(child.tail or "")
    lines = (
        "".join(texts).split("\n")
        if _name(element) == "cmdsynopsis" and "sbr" in map(_name, element)
        else ["".join(texts)]
    )
    return "\n".join(" ".join(line.split()) for line in lines)


def _argument(element: Element) -> str:
    """An argument of a group, which has no brackets of its own."""
    words = _write_command(element)
    return _bracket(element, words) if element.get("choice") == "req" else words + _repeat(element)


def _bracket(element: Element, words: str) -> str:
    choice = element.get("choice", "opt")
    return _BRACKETS.get(choice, "{}").format(words + _repeat(element))


def _repeat(element: Element) -> str:
    return "..." if element.get("rep") == "repeat" else ""


def _write_function(element: Element) -> str:
    heads = [_words(child) for child in element if _name(child) == "funcdef"]
    parameters = [_words(child) for child in element if _name(child) in ("paramdef", "void", "varargs")]
    return f"{' '.join(heads)}({', '.join(filter(None, parameters))})"


def _write_member(element: Element) -> str:
    """A method or a field, in the order of its words."""
    if _name(element) not in _METHODS:
        return _words(element)
    heads = [_words(child) for child in element if _name(child) not in ("methodparam", "void")]
    return f"{' '.join(heads)}({', '.join(_parameter(child) for child in element if _name(child) == 'methodparam')})"


def _parameter(element: Element) -> str:
    words = " ".join(filter(None, (
        f"= {_words(child)}" if _name(child) == "initializer"
        else f"${_words(child)}" if _name(child) == "parameter" and not _words(child).startswith("$") else _words(child)
        for child in element
    )))  # fmt: skip
    return f"[{words}]" if element.get("choice") == "opt" and "=" not in words else words


def _name(element: Element) -> str:
    return str(element.tag).rpartition("}")[2].lower()


def _words(element: Element) -> str:
    if element.get("class") == "union":
        return "|".join(map(_words, element))
    return " ".join(" ".join(element.itertext()).split())
