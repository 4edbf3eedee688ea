"""How commands and functions are called, as lines of text.

Belongs here: synopses of DocBook. Not here: other elements (`docbook_html`). Guarantee: every word of a synopsis stays.
"""

from headwater.parsing.xml import Element, local_name

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
    name = local_name(element)
    if name == "cmdsynopsis":
        return _write_command(element)
    if name == "funcsynopsis":
        return "\n".join(
            _write_function(child) if local_name(child) == "funcprototype" else _lines(child) for child in element
        )
    if name == "classsynopsis":
        return "\n".join(_write_member(child) for child in element)
    return _write_member(element)


def _write_command(element: Element) -> str:
    """Arguments as manual pages write them: `[OPTION...]`, `{a | b}`."""
    texts = [element.text or ""]
    for child in element:
        name = local_name(child)
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
        if local_name(element) == "cmdsynopsis" and "sbr" in map(local_name, element)
        else ["".join(texts)]
    )
    return "\n".join(" ".join(line.split()) for line in lines)


def _argument(element: Element) -> str:
    """An argument of a group, which has no brackets of its own."""
    if local_name(element) == "group":
        return _bracket(element, " | ".join(map(_argument, element)))
    words = _write_command(element)
    return _bracket(element, words) if element.get("choice") == "req" else words + _repeat(element)


def _bracket(element: Element, words: str) -> str:
    choice = element.get("choice", "opt")
    return _BRACKETS.get(choice, "{}").format(words + _repeat(element))


def _repeat(element: Element) -> str:
    return "..." if element.get("rep") == "repeat" else ""


def _write_function(element: Element) -> str:
    heads = [_words(child) for child in element if local_name(child) == "funcdef"]
    parameters = [_words(child) for child in element if local_name(child) in ("paramdef", "void", "varargs")]
    return f"{' '.join(heads)}({', '.join(filter(None, parameters))})"


def _write_member(element: Element) -> str:
    """A method or a field, in the order of its words."""
    if local_name(element) not in _METHODS:
        return _words(element)
    heads = [_words(child) for child in element if local_name(child) not in ("methodparam", "void")]
    parameters = [_parameter(child) for child in element if local_name(child) == "methodparam"]
    return f"{' '.join(heads)}({', '.join(parameters)})"


def _parameter(element: Element) -> str:
    texts = []
    for child in element:
        name, words = local_name(child), _words(child)
        mark = "= " if name == "initializer" else "$" if name == "parameter" and not words.startswith("$") else ""
        texts.append(mark + words)
    words = " ".join(texts)
    return f"[{words}]" if element.get("choice") == "opt" and "=" not in words else words


def _lines(element: Element) -> str:
    return "\n".join(filter(None, (" ".join(line.split()) for line in "".join(element.itertext()).split("\n"))))


def _words(element: Element) -> str:
    if element.get("class") == "union":
        return "|".join(map(_words, element))
    return " ".join("".join(element.itertext()).split())
