"""Mutations of links: what a name in code means, and what a link leads to.

Belongs here: guesses, and links that are written again. Not here: following them in a search (`searching`).
"""

from tests.mutations.mutation import Mutation

_PYTHON = "headwater/linking/python_links.py"
_VIEW = "headwater/store/migrations/0033_many_of_one.sql"
_CODE = ("tests/unit/test_code_links.py",)
_LINKS = ("tests/integration/test_document_links.py",)

LINKS = (
    Mutation(
        file=_PYTHON,
        old='if within.kind != "class" or within is scope:',
        new="if True:",
        tests=_CODE,
        why="a method of a class is taken for a function of the module",
    ),
    Mutation(
        file=_PYTHON,
        old="if name in within.bound:\n",
        new="if False:\n",
        tests=_CODE,
        why="a parameter is taken for the function that has its name",
    ),
    Mutation(
        file=_VIEW,
        old="WHERE f.is_own\n",
        new="WHERE true\n",
        tests=_LINKS,
        why="a call of a name that two files define leads to one of them by chance",
    ),
    Mutation(
        file="headwater/drawing/neighbourhood.py",
        old='is_address = urlsplit(node.address).scheme in ("http", "https")',
        new="is_address = bool(node.address)",
        tests=("tests/unit/test_drawing.py",),
        why="a picture has a link that runs a script",
    ),
)
