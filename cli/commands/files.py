"""The command `files`.

Belongs here: uploaded files as text. Not here: uploading (`upload`). Guarantee: as for every command (`cli.main`); text
of sources cannot steer the terminal.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import click

from cli.commands.upload import size_text
from cli.output import WholeNumber, emit, json_option, reports_errors
from cli.result_texts import plain


@click.command()
@click.argument("knowledge_base")
@click.argument("source")
@click.option("--limit", default=50, show_default=True, type=WholeNumber(1, 200), help="How many to show.")
@click.option("--after", default="", help="Show those after this name.")
@json_option
@reports_errors
def files(knowledge_base: str, source: str, limit: int, after: str, as_json: bool) -> None:
    """List the uploaded files of a source, and what became of them."""
    from cli.environment import environment
    from headwater.administration.uploads import source_of_files
    from query_api.routes.upload_payloads import UploadPage

    with environment() as env:
        owner = source_of_files(env.store, knowledge_base, source)
        uploads = env.store.uploads.all(owner, after=after, limit=limit + 1)
    page = UploadPage.of(uploads, limit).model_dump(mode="json")
    emit(page, as_json=as_json, text=files_text(page, knowledge_base, source))


def files_text(page: Mapping[str, Any], knowledge_base: str, source: str) -> str:
    """A line for each file, with its error below it."""
    lines = [line for file in page["files"] for line in _lines(file)]
    if page["next"]:
        lines.append(f"More: headwater files {knowledge_base} {source} --after {plain(repr(page['next']))}")
    return "\n".join(lines) or f"{source} has no uploaded files. Run `headwater upload {knowledge_base} {source} FILE`."


def _lines(file: Mapping[str, Any]) -> Iterator[str]:
    yield f"{file['state']:<8} {size_text(file['size']):>9}  {file['uploaded_at'][:19]}  {plain(file['name'])}"
    if file["error"]:
        yield f"    {plain(file['error'])}"
