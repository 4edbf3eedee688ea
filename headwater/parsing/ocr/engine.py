"""Finding and reading the lines of text in a picture.

Belongs here: the models, one set per process, and what they are given. Not here: decoding files (`image_files`),
the order of lines (`layout`). Guarantee: nothing is downloaded; as many threads as there are processors.

Detection works on a copy whose text is neither too small nor larger than needed; recognition, which takes most of the
time, gets each line from the picture itself, one line per thread: a batch would be padded to its longest line.
"""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from headwater.errors import DocumentError
from headwater.processors import count_processors
from headwater.settings import prepare_onnxruntime

INSTALL = (
    "Run `pip install 'headwater[ocr]'`, or in Headwater's folder `pip install -c constraints.txt -e '.[ocr]'`, "
    "and try again."
)
_MODELS = {"Det": "PP-OCRv6_det_small.onnx", "Cls": "ch_ppocr_mobile_v2.0_cls_mobile.onnx",
           "Rec": "PP-OCRv6_rec_small.onnx"}  # fmt: skip
_FIRST = 1_000_000  # pixels of the copy that is searched first, which takes a second of a processor
_SMALL_SIDE = 960  # a smaller picture is enlarged to this
_SMALL_ENLARGED = 3.0
_READABLE = 15  # pixels of the height of a line, with its margin, that detection needs
_WANTED = 20
_STRIP = 1_500_000  # pixels of a part that is searched at once
_SEARCHED = 6_000_000  # pixels of a picture with small text; searching a million takes a second of a processor
_OVERLAP = 160
_MIN_SIDE_PIXELS = 6  # pixels of a side of a picture that can hold text
_TALL = 1.5
_SAMPLE = 9
_MIN_SCORE = 0.5
_ONE_AT_A_TIME = Lock()


class Line(NamedTuple):
    """A line of text: its four corners clockwise from the top left, and where each of its visible characters is.

    `places` are between 0, the left end, and 1, the right end.
    """

    text: str
    corners: Any
    places: tuple[float, ...]


def find_lines(picture: Any) -> list[Line]:
    """Find the lines of text in a picture and read them.

    Args:
        picture: an array of rows of pixels, each blue, green and red.

    Returns:
        The lines, in no order; of a picture on its side or upside down, where they are once it is turned upright.

    Raises:
        DocumentError: the extra `ocr` is not installed.
    """
    models = load()
    if min(picture.shape[:2]) < _MIN_SIDE_PIXELS:
        return []
    with _ONE_AT_A_TIME:  # a detector keeps its options in itself
        boxes = _boxes(models, picture)
        picture, boxes = _upright(models, picture, boxes)
        lines = models.recognise([_cut_out(picture, box) for box in boxes])
    return [
        Line(text=text, corners=box, places=places)
        for box, (text, score, places) in zip(boxes, lines, strict=True)
        if text.strip() and score >= _MIN_SCORE
    ]


class _Models:
    """The three models: where text is, whether it is upside down, and what it says."""

    def __init__(self, rapidocr: Any) -> None:
        folder = Path(rapidocr.__file__).parent / "models"
        model_paths = {f"{step}.model_path": str(folder / name) for step, name in _MODELS.items()}
        common = {"Global.log_level": "error", "Global.use_preprocess_img": False,
                  "Global.use_vertical_padding": False, **model_paths}  # fmt: skip
        self._processors = count_processors()
        threads = "EngineConfig.onnxruntime.intra_op_num_threads"
        self._detector = rapidocr.RapidOCR(
            params={**common, threads: self._processors, "Det.limit_side_len": 32, "Det.max_candidates": 3000}
        )
        self._reader = rapidocr.RapidOCR(params={**common, threads: 1, "Rec.rec_batch_num": 1})
        self._load()

    def _load(self) -> None:
        """Load the models now, with a picture of nothing, not at the first file or in several threads."""
        import numpy as np

        blank = np.full((64, 64, 3), 255, dtype=np.uint8)
        self.detect(blank)
        self.is_upside_down(blank)
        self._recognise(blank)

    def detect(self, picture: Any) -> list[Any]:
        result = self._detector(picture, use_det=True, use_cls=False, use_rec=False)
        return [] if result.boxes is None else list(result.boxes)

    def is_upside_down(self, line: Any) -> bool:
        result = self._reader(line, use_det=False, use_cls=True, use_rec=False)
        return bool(result.cls_res and result.cls_res[0][0] == "180")

    def recognise(self, lines: Sequence[Any]) -> list[tuple[str, float, tuple[float, ...]]]:
        with ThreadPoolExecutor(self._processors) as pool:
            return list(pool.map(self._recognise, lines))

    def _recognise(self, line: Any) -> tuple[str, float, tuple[float, ...]]:
        result = self._reader(line, use_det=False, use_cls=False, use_rec=True, return_word_box=True)
        if not result.txts:
            return "", 0.0, ()
        words = result.word_results[0]
        length = words.line_txt_len or 1
        columns = [column for word in words.word_cols for column in word]
        return result.txts[0], float(result.scores[0]), tuple((column + 0.5) / length for column in columns)


def load() -> "_Models":
    """Load the models, once per process.

    Raises:
        DocumentError: the extra `ocr` is not installed.
    """
    with _ONE_AT_A_TIME:
        return _load_models()


@cache
def _load_models() -> "_Models":
    if find_spec("rapidocr") is None or find_spec("PIL") is None:
        raise DocumentError(f"Reading text in images needs the extra `ocr`, which is not installed. {INSTALL}")
    prepare_onnxruntime()
    import rapidocr  # half a second, and seldom needed

    return _Models(rapidocr)


def _boxes(models: _Models, picture: Any) -> list[Any]:
    """Where lines are: in a copy of a good size for most pictures, or in strips if the text in it is too small."""
    height, width = picture.shape[:2]
    longest = max(height, width)
    scale = min(1.0, (_FIRST / (width * height)) ** 0.5)
    if longest < _SMALL_SIDE:
        scale = min(_SMALL_ENLARGED, _SMALL_SIDE / longest)
    boxes = _detect_boxes(models, picture, scale)
    if scale >= 1:
        return boxes
    finer = 1.0 if not boxes else min(1.0, scale * _WANTED / max(1.0, _small_height(boxes) * scale))
    if boxes and _small_height(boxes) * scale >= _READABLE:
        return boxes
    searched = _SEARCHED if boxes else _SEARCHED / 3  # most large pictures without large text are photographs
    finer = min(finer, (searched / (width * height)) ** 0.5)
    return _detect_in_strips(models, picture, finer, boxes) if finer > scale * 1.1 else boxes


def _small_height(boxes: Iterable[Any]) -> float:
    """The height that three of four lines exceed."""
    heights = sorted(_size(box)[1] for box in boxes)
    return heights[len(heights) // 4]


def _detect_boxes(models: _Models, picture: Any, scale: float) -> list[Any]:
    import numpy as np

    return [np.asarray(box, dtype=np.float32) / scale for box in models.detect(_scale(picture, scale))]


def _scale(picture: Any, scale: float) -> Any:
    import cv2

    if scale == 1:
        return picture
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    return cv2.resize(picture, None, fx=scale, fy=scale, interpolation=method)


def _detect_in_strips(models: _Models, picture: Any, scale: float, found: list[Any]) -> list[Any]:
    """Search overlapping strips as wide as the picture, so that they cut no line into words.

    Of a line that two of them see, the larger box is whole. `found` has the lines that are too high for a strip.
    """
    import numpy as np

    large = _scale(picture, scale)
    height, width = large.shape[:2]
    step = max(2 * _OVERLAP, _STRIP // width)
    boxes = [box * scale for box in found if _size(box)[1] * scale > _OVERLAP / 2]
    for top in range(0, max(1, height - _OVERLAP), step):
        strip = np.ascontiguousarray(large[top : top + step + _OVERLAP])
        boxes += [np.add(box, (0, top), dtype=np.float32) for box in models.detect(strip)]
    uncovered: list[Any] = []
    for box in sorted(boxes, key=lambda box: -_size(box)[0] * _size(box)[1]):
        if not any(_is_covered(box, neighbour) for neighbour in uncovered):
            uncovered.append(box)
    return [box / scale for box in uncovered]


def _is_covered(box: Any, other: Any) -> bool:
    """Whether most of a box lies in another one."""
    left, top = box.min(axis=0)
    right, bottom = box.max(axis=0)
    other_left, other_top = other.min(axis=0)
    other_right, other_bottom = other.max(axis=0)
    across = min(right, other_right) - max(left, other_left)
    down = min(bottom, other_bottom) - max(top, other_top)
    return bool(across > 0 and down > 0 and across * down > (right - left) * (bottom - top) / 2)


def _size(box: Any) -> tuple[float, float]:
    """The width and height of a box, along its sides."""
    import numpy as np

    top, right, bottom, left = (float(np.linalg.norm(box[corner] - box[(corner + 1) % 4])) for corner in range(4))
    return max(top, bottom), max(left, right)


def _upright(models: _Models, picture: Any, boxes: list[Any]) -> tuple[Any, list[Any]]:
    """Turn a picture whose lines stand on their side or upside down."""
    import cv2
    import numpy as np

    long = sorted(boxes, key=lambda box: -max(_size(box)))[: max(_SAMPLE, len(boxes) // 2)]
    tall = [box for box in long if _size(box)[1] > _TALL * _size(box)[0]]
    if 2 * len(tall) > len(long):
        side = picture.shape[0]
        picture = np.ascontiguousarray(cv2.rotate(picture, cv2.ROTATE_90_CLOCKWISE))
        # The turn moves the point (x, y) to (side - y, x). A box lists its corners from the top left, and the corner
        # that is at the top left now was at the bottom left before.
        boxes = [np.stack([side - box[:, 1], box[:, 0]], axis=1)[[3, 0, 1, 2]] for box in boxes]
    sample = sorted(boxes, key=lambda box: -_size(box)[0])[:_SAMPLE]
    turned = sum(models.is_upside_down(_cut_out(picture, box)) for box in sample)
    if 2 * turned > len(sample):
        height, width = picture.shape[:2]
        picture = np.ascontiguousarray(picture[::-1, ::-1])
        boxes = [(np.array([width, height], dtype=np.float32) - box)[[2, 3, 0, 1]] for box in boxes]
    return picture, boxes


def _cut_out(picture: Any, box: Any) -> Any:
    """The line in a box, straight."""
    import cv2
    import numpy as np

    width, height = (max(1, round(side)) for side in _size(box))
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)
    warp = cv2.getPerspectiveTransform(np.asarray(box, dtype=np.float32), corners)
    line = cv2.warpPerspective(picture, warp, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return np.ascontiguousarray(np.rot90(line)) if height > _TALL * width else line
