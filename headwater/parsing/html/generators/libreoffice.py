"""Pages of LibreOffice's help: what a script shows of them, for an operating system or for a part of the office.

Belongs here: the branches of switches, and boxes of notes. Not here: markdown (`blocks`), office files
(`headwater.parsing.opendocument`). Guarantee: of a switch that has words, at least one branch is shown; a page without
the help's frame stays as it is.
"""

from typing import Any

from headwater.parsing.html.generators.page_elements import drop_elements, find_class, has_class, label_note

_BRANCHES = {
    "MAC": "macOS", "WIN": "Windows", "UNIX": "Unix", "WRITER": "Writer", "CALC": "Calc", "IMPRESS": "Impress",
    "DRAW": "Draw", "CHART": "charts", "MATH": "Math", "BASE": "Base", "BASIC": "Basic",
}  # fmt: skip
_NOTES = ("note", "tip", "warning")


def restore_libreoffice(tree: Any) -> None:
    """Show what a page of the help says to those whose system nobody knows."""
    if tree.find(".//div[@id='DisplayArea']") is None:
        return
    for switch in reversed(list(find_class(tree, "switchinline"))):  # those that stand in others first
        _show_inline(switch)
    for switch in reversed(list(find_class(tree, "switch"))):
        _show_blocks(switch)
    for name in _NOTES:
        for note in list(find_class(tree, name)):
            icons = [child for child in note if has_class(child, "noteicon")]
            drop_elements(icons)
            if icons:
                label_note(note, name.capitalize())


def _show_inline(switch: Any) -> None:
    """Show the branch for any system; without it, each branch with its name in brackets."""
    branches = _list_branches(switch)
    default = next((branch for branch in branches if not _name_branch(branch)), None)
    for branch in branches:
        if default is None:
            separator = " / " if branch is not branches[-1] else ""
            branch.append(branch.makeelement("span"))
            branch[-1].text = f" ({_name_branch(branch)}){separator}"
        elif branch is not default:
            drop_elements([branch])


def _show_blocks(switch: Any) -> None:
    """Show every branch of blocks, below its name if there are several."""
    branches = _list_branches(switch)
    for branch in branches if len(branches) > 1 else ():
        label = branch.makeelement("p")
        label.append(label.makeelement("b"))
        label[0].text, label.tail = f"{_name_branch(branch) or 'Otherwise'}:", branch.text
        branch.text = None
        branch.insert(0, label)


def _list_branches(switch: Any) -> list[Any]:
    """The branches that have words or pictures, which are shown from now on; the others are removed."""
    branches = [child for child in switch if child.get("hidden") is not None and child.tag in ("span", "div")]
    worded_branches = [branch for branch in branches if _has_content(branch)]
    for branch in worded_branches:
        del branch.attrib["hidden"]
    drop_elements(branch for branch in branches if branch.get("hidden") is not None)
    return worded_branches


def _has_content(branch: Any) -> bool:
    return any(map(str.strip, branch.itertext())) or next(branch.iter("img"), None) is not None


def _name_branch(branch: Any) -> str:
    """The name of a branch's system or of its part of the office; empty for the branch of all others."""
    name = branch.get("class") or ""
    return "" if (branch.get("id") or "").startswith("default") else _BRANCHES.get(name, name)
