"""The commands `upload` and `files`, and deleting an uploaded file.

Belongs here: their arguments, and their results as text. Not here: uploading (`headwater.administration.uploads`).
Guarantee: as for every command (`main`); text of sources cannot steer the terminal.
"""

import mimetypes
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from cli.output import emit, json_option, note, reports_errors
from cli.result_texts import plain


@click.command()
@click.argument("knowledge_base")
@click.argument("source")
@click.argument("paths", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--folder", default="", help="Folder to put the files into, within the source.")
@click.option("--sync", "with_sync", is_flag=True, help="Sync the source afterwards, so that the files can be found.")
@json_option
@reports_errors
def upload(
    knowledge_base: str, source: str, paths: tuple[Path, ...], folder: str, with_sync: bool, as_json: bool
) -> None:
    """Upload files to a source of kind `files`; files with the same names are replaced."""
    from cli.environment import environment

    with environment() as env:
        stored = [_upload(env.settings, env.store, knowledge_base, source, folder, path) for path in paths]
    lines = [f"{plain(item['name'])}: {_name_change(item)}, {size_text(item['size'])}" for item in stored]
    if not with_sync:
        lines.append(f"Run `headwater sync {knowledge_base} {source}` to read them.")
        emit({"files": stored}, as_json=as_json, text="\n".join(lines))
        return
    from cli import result_texts
    from cli.processes.sync_client import sync as sync_sources

    result, error = sync_sources(knowledge_base, (source,))
    emit({"files": stored, "sync": result}, as_json=as_json, text="\n".join([*lines, result_texts.sync_text(result)]))
    if error:
        note(f"Error: {error}")
    if error or any(source["state"] != "ready" for source in result["sources"]):
        sys.exit(1)


def size_text(size: int) -> str:
    """A size for people."""
    if size < 1_000:
        return f"{size} B"
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{size / 1e3:.1f} kB"


def _upload(settings: Any, store: Any, knowledge_base: str, source: str, folder: str, path: Path) -> dict[str, Any]:
    from headwater.administration.uploads import upload as store_upload
    from headwater.errors import InvalidInputError
    from headwater.files.file_store import read_blocks
    from query_api.routes.upload_payloads import StoredUploadPayload, UploadPayload

    name = f"{folder.strip('/')}/{path.name}" if folder else path.name
    hint = mimetypes.guess_type(path.name)[0] or ""
    if not path.is_file():
        what = "is a folder. For a whole folder, use a source of another kind" if path.is_dir() else "does not exist"
        raise InvalidInputError(f"{path} {what}. Name a file.")
    try:
        with path.open("rb") as file:
            stored = store_upload(settings, store, knowledge_base, source, name, read_blocks(file), media_type=hint)
    except OSError as error:
        raise InvalidInputError(f"{path} cannot be read ({error.strerror}).") from error
    fields = {**UploadPayload.of(stored.upload).model_dump(), "changed": stored.is_changed, "sync": None}
    return StoredUploadPayload.model_validate(fields).model_dump(mode="json")


def _name_change(file: Mapping[str, Any]) -> str:
    return "uploaded" if file["changed"] else "unchanged"
