"""Collect the pages for a site: `python packages/docs_site.py OUT`, then `mkdocs build --config-file OUT/mkdocs.yml`.

Belongs here: which files the site has. Not here: their order and the looks (`mkdocs.yml`), building (mkdocs).
Guarantee: each file stands in OUT/pages where it stands in the repository, because mkdocs reads no pages beside its own
folder, and ours link to those of the repository's root.
"""

import shutil
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
PAGES = ("*.md", "LICENSE", "docs/**/*", "examples/**/*", "bench/*/README.md")
_LEFT_OUT = {"__pycache__", ".dagster", ".headwater"}


def write(out: Path) -> None:
    """Write the folder: the pages, and the configuration beside them."""
    shutil.rmtree(out, ignore_errors=True)
    for pattern in PAGES:
        for file in sorted(REPOSITORY.glob(pattern)):
            name = file.relative_to(REPOSITORY)
            if file.is_file() and not _LEFT_OUT & set(name.parts):
                (out / "pages" / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, out / "pages" / name)
    shutil.copyfile(REPOSITORY / "mkdocs.yml", out / "mkdocs.yml")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
