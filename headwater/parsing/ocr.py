"""Reading the text in pictures.

Belongs here: the engine, one per process, and text from an image's bytes. Not here: files of images (`images`), pages
of a PDF (`pdf`). Guarantee: nothing is downloaded; an image that cannot be read raises `DocumentError`.
"""

import os
from functools import cache
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import Any

from headwater.errors import DocumentError

INSTALL = (
    "Run `pip install 'headwater[ocr]'`, or in Headwater's folder `pip install -c constraints.txt -e '.[ocr]'`, "
    "and sync again."
)
_MODELS = {"Det": "PP-OCRv6_det_small.onnx", "Cls": "ch_ppocr_mobile_v2.0_cls_mobile.onnx",
           "Rec": "PP-OCRv6_rec_small.onnx"}  # fmt: skip
_PIXELS = 80_000_000
_ONE_AT_A_TIME = Lock()


def read_image(image: bytes) -> str:
    """Read the text in an image.

    Args:
        image: a file of a format that Pillow reads, such as PNG, JPEG or TIFF.

    Returns:
        Its text in reading order; empty if it holds none.

    Raises:
        DocumentError: it is no image or too large, or the extra `ocr` is not installed.
    """
    engine = _engine()
    with _ONE_AT_A_TIME:
        found = engine(_pixels(image))
    return "\n".join(found.txts or ())


@cache
def _engine() -> Any:
    if find_spec("rapidocr") is None:
        raise DocumentError(f"Reading the text in an image needs the extra `ocr`, which is not installed. {INSTALL}")
    import rapidocr  # half a second, and seldom needed

    folder = Path(rapidocr.__file__).parent / "models"
    models = {f"{part}.model_path": str(folder / name) for part, name in _MODELS.items()}
    threads = {"EngineConfig.onnxruntime.intra_op_num_threads": os.cpu_count() or 1}
    return rapidocr.RapidOCR(params={"Global.log_level": "error", **models, **threads})


def _pixels(image: bytes) -> Any:
    import numpy as np
    from PIL import Image, ImageOps

    try:
        with Image.open(BytesIO(image)) as opened:
            if opened.width * opened.height > _PIXELS:
                raise DocumentError(f"The image has {opened.width} × {opened.height} pixels, which is too many.")
            upright = ImageOps.exif_transpose(opened).convert("RGB")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise DocumentError(f"The image cannot be read: {error}.") from error
    return np.asarray(upright)[:, :, ::-1]
