"""Tests of the pages never look at once: a page may still be on its way, or its script may still be at work."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.settings import REPOSITORY

_MODULES = sorted((REPOSITORY / "tests" / "browser").glob("test_*.py"))
_LOOKS = {
    "count", "all", "all_inner_texts", "all_text_contents", "content", "get_attribute", "inner_html", "inner_text",
    "input_value", "is_checked", "is_disabled", "is_editable", "is_enabled", "is_hidden", "is_visible", "text_content",
    "title",
}  # fmt: skip
"""Methods of a page or of what is on it that say how it is now; of these, others have some too, with arguments."""
_OF_OTHERS = {"count", "all", "content", "title"}
_SERVERS = {"web", "kb_web", "site", "up"}
"""What has an address that does not change."""


def find_looks(code: str) -> Iterator[str]:
    """The places that look at once: outside of `eventually(lambda: ...)`, which looks again."""
    tree = ast.parse(code)
    waits = {id(node) for patient in ast.walk(tree) if isinstance(patient, ast.Lambda) for node in ast.walk(patient)}
    asserts = {id(node) for check in ast.walk(tree) if isinstance(check, ast.Assert) for node in ast.walk(check)}
    for node in ast.walk(tree):
        if id(node) not in waits and (_is_look(node) or (id(node) in asserts and _is_script_or_address(node))):
            yield f"line {node.lineno}: {ast.unparse(node)}"  # type: ignore[attr-defined]  # both are expressions


def _is_look(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in _LOOKS:
        return False
    return node.func.attr not in _OF_OTHERS or not (node.args or node.keywords)


def _is_script_or_address(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in ("evaluate", "evaluate_all")
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "url"
        and not (isinstance(node.value, ast.Name) and node.value.id in _SERVERS)
    )


@pytest.mark.parametrize("path", _MODULES, ids=lambda path: path.stem)
def test_a_test_of_a_page_waits_for_what_it_looks_at(path: Path) -> None:
    """By `expect(...)`, or the helpers of `tests/browser/web.py`."""
    assert not list(find_looks(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ("assert page.locator('.row').count() == 2", 1),
        ("text = page.locator('h1').inner_text()", 1),
        ("assert page.url == f'{web.url}/login'", 1),
        ("assert page.evaluate('scrollY') == 0", 1),
        ("while not button.is_visible(): step()", 1),
        ("expect(page.locator('.row')).to_have_count(2)", 0),
        ("eventually(lambda: page.locator('.row').count() > 2, page)", 0),
        ("height = page.evaluate('scrollY')", 0),
        ("assert actions.count('bot.set') == 3", 0),
        ("assert httpx.get(web.url).status_code == 200", 0),
    ],
)
def test_looks_are_told_from_waits(code: str, count: int) -> None:
    """An assignment looks as well as an assertion does."""
    assert len(list(find_looks(code))) == count
