"""The modules of parsers, each imported first in a process.

Belongs here: circles of imports. Not here: what parsers read. A file is parsed in a process that imports its parser
and nothing else of Headwater, so a circle that other imports hide would fail every file of its type.
"""

import subprocess
import sys

_SCRIPT = """
import importlib, sys
from importlib.metadata import entry_points
names = {entry.module for entry in entry_points(group="headwater.parsers")}
for name in sorted(names | {"headwater.parsing.html.fragments_apart", "headwater.parsing.html.page_client"}):
    for loaded in [module for module in sys.modules if module.partition(".")[0] == "headwater"]:
        del sys.modules[loaded]
    importlib.import_module(name)
print(len(names))
"""


def test_each_parser_can_be_the_first_that_is_imported() -> None:
    """It is what a parser process begins with."""
    outcome = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True, check=False, timeout=120)
    assert outcome.returncode == 0, outcome.stderr
    assert int(outcome.stdout) > 20
