"""Decoding image files.

Belongs here: pixels, upright and on a background, and what the file says about itself. Not here: text (`recognition`),
documents (`parser`). Guarantee: no more pixels are decoded than Pillow's limit against decompression bombs
allows, and a picture has at most a third of these; a file that cannot be decoded raises `DocumentError`.
"""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from io import BytesIO
from typing import TYPE_CHECKING, Any

from headwater.errors import DocumentError

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = {"PNG": "image/png", "JPEG": "image/jpeg", "MPO": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp",
           "TIFF": "image/tiff", "BMP": "image/bmp"}  # fmt: skip
_OPENED = ("PNG", "JPEG", "GIF", "WEBP", "TIFF", "BMP", "JPEG2000", "PPM")  # the last two are in PDFs
_PIXELS = 30_000_000  # of a picture: 300 dpi on A3 is half of that
_PAGES = 500
_LIGHT = 128
_TAKEN, _TIME_TAKEN = 0x0132, 0x9003  # DateTime of the image and DateTimeOriginal of its EXIF part
_EXIF = 0x8769
_BROKEN = (OSError, SyntaxError, ValueError, ArithmeticError, LookupError, EOFError, TypeError, MemoryError)


def pictures(image: bytes) -> Iterator[Any]:
    """Decode the pages of a TIFF, or the only or first picture of another file.

    Args:
        image: the file.

    Yields:
        Arrays of rows of pixels, each blue, green and red.

    Raises:
        DocumentError: it cannot be decoded.
    """
    with _open_image(image) as file:
        for page in range(page_count(file)):
            with _translate_errors():
                file.seek(page)
                picture = _pixels(file)
            yield picture


def page_count(file: "Image") -> int:
    """The pages of a TIFF; the pictures of an animation are no pages."""
    return min(_PAGES, getattr(file, "n_frames", 1)) if file.format == "TIFF" else 1


def describe_image(image: bytes) -> tuple[str, dict[str, Any]]:
    """The media type of an image, and its metadata: size, number of pages, and when it was taken.

    Raises:
        DocumentError: it is not an image that Headwater reads.
    """
    with _open_image(image) as file, _translate_errors():
        pages = getattr(file, "n_frames", 1) if file.format == "TIFF" else 1
        size = {"width": file.width, "height": file.height, **({"pages": pages} if pages > 1 else {})}
        date_taken = _find_date_taken(file.getexif())
        return FORMATS.get(file.format or "", "image/png"), {**size, **({"taken": date_taken} if date_taken else {})}


@contextmanager
def _open_image(image: bytes) -> Iterator["Image"]:
    from PIL import Image

    with _translate_errors(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        file = Image.open(BytesIO(image), formats=_OPENED)
    with file:
        yield file


@contextmanager
def _translate_errors() -> Iterator[None]:
    """Make a `DocumentError` of what Pillow raises."""
    from PIL import Image, UnidentifiedImageError

    try:
        yield
    except (Image.DecompressionBombWarning, Image.DecompressionBombError) as error:
        million = (Image.MAX_IMAGE_PIXELS or 0) // 1_000_000
        raise DocumentError(
            f"The image has more than {million} million pixels, which is the limit. Save it smaller."
        ) from error
    except UnidentifiedImageError as error:
        raise DocumentError(
            "The file is not an image in one of the formats that Headwater reads: PNG, JPEG, GIF, WebP, TIFF, BMP."
        ) from error
    except _BROKEN as error:
        raise DocumentError(
            f"The image is damaged: {str(error)[:200] or type(error).__name__}. Open it in a viewer and save it again."
        ) from error


def _pixels(file: "Image") -> Any:
    import numpy as np
    from PIL import ImageOps

    limit = (_PIXELS / max(1, file.width * file.height)) ** 0.5
    if limit < 1:  # a JPEG is decoded smaller; nothing else can be
        file.draft(None, (int(file.width * limit), int(file.height * limit)))
    picture: Image = file
    if picture.mode == "1":
        picture = picture.convert("L")
    elif picture.mode in ("P", "PA") or picture.mode.startswith(("I", "F")):
        picture = _in_colours(picture)
    factor = int((picture.width * picture.height / _PIXELS) ** 0.5) + 1
    if factor > 1:
        picture = picture.reduce(factor)
    picture = _in_colours(ImageOps.exif_transpose(picture))
    return np.ascontiguousarray(np.asarray(picture)[:, :, ::-1])


def _in_colours(picture: "Image") -> "Image":
    import numpy as np
    from PIL import Image

    if picture.mode.startswith(("I", "F")):
        depths = np.asarray(picture, dtype=np.float32)
        low, high = float(depths.min()), float(depths.max())
        picture = Image.fromarray(((depths - low) * (255 / max(1e-9, high - low))).astype(np.uint8))
    if "transparency" in picture.info or picture.mode in ("RGBA", "LA", "PA", "RGBa", "La"):
        return _on_a_background(picture.convert("RGBA"))
    return picture.convert("RGB")


def _on_a_background(picture: "Image") -> "Image":
    """White behind a transparent picture; black if what it shows is light, because that was made for a dark one."""
    import numpy as np
    from PIL import Image

    opaque = np.asarray(picture.getchannel("A"), dtype=np.float32)
    opaque_sum = float(opaque.sum())
    light = float((np.asarray(picture.convert("L"), dtype=np.float32) * opaque).sum())
    is_light = opaque_sum < opaque.size * 200 and opaque_sum > 0 and light / opaque_sum > _LIGHT
    background = Image.new("RGBA", picture.size, "black" if is_light else "white")
    return Image.alpha_composite(background, picture).convert("RGB")


def _find_date_taken(exif: Mapping[int, Any]) -> str:
    """When the picture was taken, as the camera's clock said, in ISO 8601; empty if it does not say."""
    exif_details = exif.get_ifd(_EXIF) if hasattr(exif, "get_ifd") else {}
    for value in (exif_details.get(_TIME_TAKEN), exif.get(_TAKEN)):
        try:
            return datetime.strptime(str(value).strip("\x00 "), "%Y:%m:%d %H:%M:%S").isoformat()  # noqa: DTZ007 - a camera knows no time zone
        except ValueError:
            continue
    return ""
