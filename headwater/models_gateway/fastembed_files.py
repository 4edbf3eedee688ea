"""Models of fastembed: their names, and their files on this machine (extra `fastembed`).

Belongs here: which models exist, finding their files, getting them. Not here: vectors (`fastembed_embedder`) and scores
(`fastembed_reranker`). Guarantee: only `pull` uses the network; fastembed is imported when one of its models is named,
and never otherwise.
"""

from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from headwater.domain.closed_model import nearest
from headwater.errors import ModelUnavailableError, UnknownModelError
from headwater.settings import prepare_onnxruntime

Role = Literal["embedding", "reranking"]

PREFIX = "fastembed/"
INSTALL = (
    "Run `pip install 'headwater[fastembed]'`, or in Headwater's folder "
    "`pip install -c constraints.txt -e '.[fastembed]'`."
)


def is_installed() -> bool:
    """Whether the extra is installed; nothing is imported."""
    return find_spec("fastembed") is not None


def check_fastembed(model: str, role: Role) -> str:
    """Return the name if fastembed has such a model; without fastembed, nobody can tell.

    Args:
        model: `fastembed/` with fastembed's own name, such as `fastembed/BAAI/bge-small-en-v1.5`.
        role: what the model is for.

    Raises:
        UnknownModelError: fastembed has no such model; the message lists those that it has.
    """
    if is_installed() and model.removeprefix(PREFIX) not in _load_descriptions(role):
        names = [f"{PREFIX}{name}" for name in _load_descriptions(role)]
        suggestion = nearest(model, names)
        meant = f" Did you mean `{suggestion}`?" if suggestion else ""
        raise UnknownModelError(f"fastembed has no {role} model {model!r}.{meant} It has: {', '.join(names)}.")
    return model


def description(model: str, role: Role) -> Mapping[str, Any]:
    """What fastembed says of a model: `dim`, `description`, `model_file`, `size_in_GB` and more.

    Raises:
        ModelUnavailableError: fastembed is not installed.
        UnknownModelError: fastembed has no such model.
    """
    if not is_installed():
        raise ModelUnavailableError(f"The model {model} cannot be used: fastembed is not installed. {INSTALL}")
    return _load_descriptions(role)[check_fastembed(model, role).removeprefix(PREFIX)]


def open_model(model: str, role: Role, folder: Path) -> Any:
    """Load a model from its files on this machine.

    Args:
        model: its full name.
        role: what it is for.
        folder: HEADWATER_MODELS.

    Returns:
        fastembed's `TextEmbedding` or `TextCrossEncoder`. It computes in the thread that calls it.

    Raises:
        ModelUnavailableError: fastembed or the files are missing, or a file is damaged.
        UnknownModelError: fastembed has no such model.
    """
    check_files(model, role, folder)
    model_folder = own_folder(model, folder)
    files = (
        {"specific_model_path": str(model_folder)}
        if model_folder.is_dir()
        else {"cache_dir": str(folder), "local_files_only": True}
    )
    try:
        return _class_of(role)(model.removeprefix(PREFIX), threads=1, **files)
    except Exception as error:
        raise ModelUnavailableError(
            f"The model {model} cannot be used: its files in {model_folder if model_folder.is_dir() else folder} "
            f"cannot be read ({error}). Delete them, then run `headwater models pull {model}`."
        ) from error


def check_files(model: str, role: Role, folder: Path) -> None:
    """Check that a model's files are on this machine, without loading them.

    Raises:
        ModelUnavailableError: fastembed is not installed, or the files are missing.
        UnknownModelError: fastembed has no such model.
    """
    if not _has_files(model, role, folder):
        details = description(model, role)
        raise ModelUnavailableError(
            f"The model {model} cannot be used: its files are not on this machine. Run "
            f"`headwater models pull {model}` where there is internet ({details['size_in_GB']:g} GB), or put "
            f"{', '.join(_list_file_patterns(details))} and the tokenizer's files into {own_folder(model, folder)}."
        )


def _has_files(model: str, role: Role, folder: Path) -> bool:
    details = description(model, role)
    model_folder = own_folder(model, folder)
    places = [model_folder] if model_folder.is_dir() else _downloads(details, folder)
    return any(all((place / file).is_file() for file in _list_file_patterns(details)) for place in places)


def _list_file_patterns(details: Mapping[str, Any]) -> list[str]:
    return [details["model_file"], *details["additional_files"]]


def own_folder(model: str, folder: Path) -> Path:
    """Where files that a person copied are: `tokenizer.json`, `tokenizer_config.json`, and the model's own file."""
    return folder / model.removeprefix(PREFIX)


def pull(model: str, role: Role, folder: Path) -> None:
    """Download a model's files from Hugging Face, unless they are there.

    Raises:
        ModelUnavailableError: fastembed is not installed, or the download failed.
        UnknownModelError: fastembed has no such model.
    """
    if _has_files(model, role, folder):
        return
    model_class = _class_of(role)
    from loguru import logger

    logger.enable("fastembed")  # it says why it tries again, which may take a minute
    try:
        folder.mkdir(parents=True, exist_ok=True)
        model_class(model.removeprefix(PREFIX), cache_dir=str(folder), lazy_load=True)
    except Exception as error:
        raise ModelUnavailableError(
            f"The model {model} could not be downloaded into {folder}: {error} Check the connection, and the proxy in "
            "HTTPS_PROXY; or copy the files from another machine."
        ) from error


def role_of(model: str) -> Role:
    """What a model is for: it is in one of fastembed's two lists.

    Raises:
        ModelUnavailableError: fastembed is not installed.
        UnknownModelError: fastembed has no such model; the message lists the embedding models.
    """
    is_reranker = is_installed() and model.removeprefix(PREFIX) in _load_descriptions("reranking")
    role: Role = "reranking" if is_reranker else "embedding"
    description(model, role)
    return role


def _downloads(details: Mapping[str, Any], folder: Path) -> list[Path]:
    """The folders in which fastembed keeps downloads of a model, as Hugging Face's cache names them."""
    repository = str(details["sources"]["hf"] or "").replace("/", "--")
    return sorted(folder.glob(f"models--{repository}/snapshots/*"))


@cache
def _load_descriptions(role: Role) -> Mapping[str, Mapping[str, Any]]:
    return {details["model"]: details for details in _class_of(role).list_supported_models()}


def _class_of(role: Role) -> Any:
    prepare_onnxruntime()
    from fastembed import TextEmbedding
    from fastembed.rerank.cross_encoder import TextCrossEncoder
    from loguru import logger

    logger.disable("fastembed")  # failures are raised, and reported by who asked
    return TextEmbedding if role == "embedding" else TextCrossEncoder
