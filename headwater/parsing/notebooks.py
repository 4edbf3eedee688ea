"""Parsing Jupyter notebooks.

Belongs here: their cells and outputs. Not here: markdown (`headwater.parsing.markdown.parser`). Guarantee: outputs are
bounded; pictures and HTML of outputs are left out; a cell that is not well formed costs only itself.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.markdown.parser import parse_markdown
from headwater.parsing.markdown.writer import fence_code
from headwater.parsing.parser import File, Parser
from headwater.parsing.text import decode

_MAX_OUTPUT_CHARS = 2_000  # characters of one cell's outputs
_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_ADDRESS = re.compile(r"<[\w.]+(?: [^<>\n]{0,80})? at 0x[0-9a-f]+>")


class NotebookParser(Parser):
    """Reads notebooks as markdown: code cells as fences, with their text outputs."""

    media_types: ClassVar[tuple[str, ...]] = ("application/x-ipynb+json",)
    suffixes: ClassVar[tuple[str, ...]] = (".ipynb",)
    version: ClassVar[str] = "notebook-1"

    def parse(self, file: File) -> ParsedDocument:
        """Read a notebook; its text has no places, because people see cells, not the lines of the file.

        Raises:
            DocumentError: it is not a notebook.
        """
        notebook = _load_notebook(file.content)
        language = _language(notebook)
        blocks = [block.strip("\n") for cell in _cells(notebook) for block in _blocks(cell, language)]
        text = "\n\n".join(block for block in blocks if block.strip())
        document = parse_markdown(text, uri=file.uri, root=file.root)
        return ParsedDocument(
            uri=file.uri,
            title=_text(_values(notebook.get("metadata")).get("title")).strip() or document.title,
            text=document.text,
            category=document.category,
            language=document.language,
            metadata=document.metadata,
            references=document.references,
            notes=document.notes,
        )


def _load_notebook(content: bytes) -> Mapping[str, Any]:
    try:
        notebook = json.loads(decode(content))
    except (ValueError, RecursionError) as error:
        raise DocumentError(f"The notebook is not valid JSON ({error}). Save it again.") from error
    if not isinstance(notebook, dict):
        raise DocumentError("The file is not a notebook: it holds no object.")
    return notebook


def _cells(notebook: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The cells; notebooks before version 4 have them in worksheets."""
    sheets = notebook.get("worksheets")
    for holder in sheets if isinstance(sheets, list) else [notebook]:
        cells = _values(holder).get("cells")
        yield from (cell for cell in (cells if isinstance(cells, list) else []) if isinstance(cell, dict))


def _language(notebook: Mapping[str, Any]) -> str:
    metadata = _values(notebook.get("metadata"))
    info, kernel = _values(metadata.get("language_info")), _values(metadata.get("kernelspec"))
    name = _text(info.get("name") or kernel.get("language"))
    return "python" if name in ("", "ipython") else name.lower()


def _blocks(cell: Mapping[str, Any], language: str) -> Iterator[str]:
    source = _text(cell.get("source", cell.get("input")))
    kind = cell.get("cell_type")
    if kind == "markdown":
        yield source
    elif kind == "heading":
        level = cell.get("level")
        yield f"{'#' * (level if isinstance(level, int) and 1 <= level <= 6 else 1)} {source}"
    elif kind == "code" and source.strip():
        magic = re.match(r"%%(\w+)", source)
        yield fence_code(source, magic[1] if magic and magic[1] not in ("time", "timeit", "capture") else language)
        yield _outputs(cell.get("outputs"))
    elif kind == "raw" and source.strip():
        yield fence_code(source)


def _outputs(outputs: Any) -> str:
    """The text of the outputs, as one fence; errors by their last line."""
    texts = [_output(output) for output in outputs if isinstance(output, dict)] if isinstance(outputs, list) else []
    text = _ADDRESS.sub("", _COLOURS.sub("", "\n".join(output.strip("\n") for output in texts if output.strip())))
    if not text.strip():
        return ""
    if len(text) > _MAX_OUTPUT_CHARS:
        text = f"{text[:_MAX_OUTPUT_CHARS].rpartition(chr(10))[0] or text[:_MAX_OUTPUT_CHARS]}\n…"
    return f"Output:\n\n{fence_code(text, 'text')}"


def _output(output: Mapping[str, Any]) -> str:
    kind = output.get("output_type")
    if kind == "stream":
        return _text(output.get("text")) if output.get("name", output.get("stream")) != "stderr" else ""
    if kind in ("error", "pyerr"):
        return f"{_text(output.get('ename'))}: {_text(output.get('evalue'))}"
    data = _values(output.get("data", output))
    return _text(data.get("text/markdown") or data.get("text/plain") or data.get("text"))


def _values(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    """A text, which a notebook may keep as a list of lines."""
    if isinstance(value, list):
        return "".join(line for line in value if isinstance(line, str))
    return value if isinstance(value, str) else ""
