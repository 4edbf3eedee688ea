"""The pages as a site (`make docs`).

Belongs here: that it builds, and what it loads. Not here: what pages say (`test_docs`, `test_prose`).
"""

import json
import re
import subprocess
import sys
from pathlib import Path

from headwater.settings import REPOSITORY

_LOADED = re.compile(r"<(?:script|link|img|iframe)[^>]+(?:src|href)=\"((?:https?:)?//[^\"]+)")
_LOADED_BY_STYLE = re.compile(r"(?:url\([\"']?|@import\s+[\"'])((?:https?:)?//[^)\"']+)")


def test_the_site_builds_with_search_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    """Every link leads somewhere and every page has its place, else the build fails; it works without a network."""
    subprocess.run([sys.executable, REPOSITORY / "packages" / "docs_site.py", tmp_path / "docs"], check=True)
    mkdocs: list[str | Path] = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--config-file",
        tmp_path / "docs" / "mkdocs.yml",
    ]
    built = subprocess.run([*mkdocs, "--site-dir", tmp_path / "site"], capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    index = json.loads((tmp_path / "site" / "search" / "search_index.json").read_text(encoding="utf-8"))
    found = {place["location"].partition("#")[0] for place in index["docs"] if "audit" in place["text"]}
    assert {"docs/access.html", "docs/http-api.html"} <= found
    pages = "".join(file.read_text(encoding="utf-8") for file in (tmp_path / "site").rglob("*.html"))
    styles = "".join(file.read_text(encoding="utf-8") for file in (tmp_path / "site").rglob("*.css"))
    assert "docs/access.html" in pages
    assert _LOADED.findall(pages) + _LOADED_BY_STYLE.findall(styles) == []
    assert re.findall(r"<p>[^<]*\n\|.*", pages) == [], "a table needs an empty line before it"
