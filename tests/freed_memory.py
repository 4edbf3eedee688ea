"""Memory that tests have used and need no longer.

Belongs here: giving it back to the system. Not here: what the product frees. Guarantee: nothing that is in use is
touched; without glibc nothing is given back.

Python's garbage collector runs seldom in tests (see `tests/__init__`), and the allocator of glibc keeps what is freed:
without this, a process that had tested the local models kept a gigabyte until its end. A process that has grown large
also forgets the models that it has loaded, for loading one again takes less than a second; but for the two that half of
all files use: loading these again took a twentieth of the whole run.
"""

import ctypes
import gc
import sys

import psutil

_GROWTH = 48 * 2**20
_GROWTH_IF_LARGE = 16 * 2**20
_LARGE = 480 * 2**20
_process = psutil.Process()
_last = [0]


def give_memory_back(*, within_a_file: bool) -> None:
    """Collect garbage and empty the allocator's reserves, if the process has grown by 48 MB since the last time.

    A large process does so when it has grown by 16 MB: each of a dozen models is some 30 MB. Between two tests of a
    file, only if it has grown by 192 MB: that file's tests may use it again.
    """
    size = _process.memory_info().rss
    is_large = size > _LARGE
    growth = 4 * _GROWTH if within_a_file else _GROWTH_IF_LARGE if is_large else _GROWTH
    if sys.platform != "linux" or size < _last[0] + growth:
        return
    if is_large and not within_a_file:
        _forget_models()
    gc.collect()
    if not within_a_file:
        gc.freeze()  # what is left stays; looking through it at the end of each file took half a second
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has none
    if trim is not None:
        trim(0)
    _last[0] = _process.memory_info().rss


def _forget_models() -> None:
    from headwater.models_gateway import embedder_registry as embedders
    from headwater.parsing.ocr import engine
    from headwater.retrieval.reranking import reranker_registry as rerankers

    for load in (
        embedders._load_local, rerankers._load, rerankers.load_cross_encoder, engine._load_models,
    ):  # fmt: skip
        load.cache_clear()
