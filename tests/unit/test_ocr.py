"""Reading text in pictures (SRC-4).

Belongs here: pictures that the tests draw, and a few scans where they are there. Not here: the order of lines
(`test_ocr_layout`), files (`test_images`). Guarantee: few pictures, because each takes about a second of a processor.
"""

import socket
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

from headwater.domain.places import PlaceKind
from headwater.errors import DocumentError
from headwater.parsing.ocr import engine as ocr_engine
from headwater.parsing.ocr.parser import ImageParser
from headwater.parsing.ocr.recognition import read_image
from headwater.parsing.parser import File
from headwater.settings import REPOSITORY

SCANS = REPOSITORY.parent / "shared" / "data" / "images" / "tesseract"
CHINESE_FONTS = (
    "/usr/share/fonts/truetype/wqy/wqy-zenhei.ttc",
    "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
)
LINES = ["Prime the pump before you start it.", "Never let it run dry, not even", "for thirty seconds."]
CHINESE = "水泵在首次启动之前必须先灌水。关闭排水阀，打开进水口，向泵壳内注入清水，直到排气口不再有空气逸出。"


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[object]]:
    """Refuse every connection and every look-up of a name, and end with an error if there was one."""
    tried: list[object] = []

    def refuse(*asked: object, **_: object) -> None:
        tried.append(asked)
        raise OSError("no network in this test")

    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    yield tried
    assert not tried


def drawn(lines: list[str], *, dark: bool = False, font: str = "", size: int = 30) -> Image.Image:
    """A page with a few lines."""
    chosen = ImageFont.truetype(font, size) if font else ImageFont.load_default(size)
    page = Image.new("RGB", (720, 60 + 48 * len(lines)), "#202428" if dark else "white")
    for at, text in enumerate(lines):
        ImageDraw.Draw(page).text((30, 30 + 48 * at), text, font=chosen, fill="#d8d8d8" if dark else "black")
    return page


def saved(page: Image.Image, kind: str, **options: object) -> bytes:
    """A file with a page."""
    file = BytesIO()
    page.save(file, kind, **options)
    return file.getvalue()


def words(text: str) -> Counter[str]:
    """Lower-cased words without punctuation."""
    plain = ("".join(c for c in word if unicodedata.category(c)[0] not in "PS") for word in text.lower().split())
    return Counter(word for word in plain if word)


def recall(truth: str, text: str) -> float:
    """The share of a text's words that was found, whatever their order."""
    wanted = words(truth)
    return sum((wanted & words(text)).values()) / sum(wanted.values())


def test_pages_of_a_tiff_are_places(no_network: list[object]) -> None:
    """Each page has its place, also one that lies on its side and one of light text on a dark ground (SRC-4).

    The models are loaded for this test, without any network.
    """
    ocr_engine._load_models.cache_clear()
    side = drawn(["Turned by ninety degrees", "The valve is closed"]).rotate(90, expand=True)
    content = saved(
        drawn(LINES), "TIFF", save_all=True, append_images=[side, drawn(["It is dark at night"], dark=True)]
    )
    found = ImageParser().parse(File(content=content, uri="manuals/pump.tif"))
    assert recall(" ".join(LINES), found.text) == 1
    assert found.title == "pump"
    assert found.metadata["pages"] == 3
    assert found.places is not None
    assert found.places.kind == PlaceKind.PAGE
    for page, text in [(1, "Prime the pump"), (1, "even for thirty"), (2, "valve"), (3, "dark at night")]:
        start = found.text.index(text)
        place = found.places.between(start, start + len(text), text=found.text)
        assert place is not None
        assert place.first == place.last == page
    assert found.original is not None
    assert found.original.media_type == "image/tiff"


def test_a_picture_without_text_is_a_document_without_text() -> None:
    """The file is kept and shown; a sync counts it among the documents that have no text."""
    found = ImageParser().parse(
        File(content=saved(Image.new("RGB", (40, 30), "teal"), "PNG"), uri="a/team%20photo.png")
    )
    assert (found.text, found.places) == ("", None)
    assert (found.title, found.category) == ("team%20photo", "a")
    assert found.original is not None


def test_chinese_is_read() -> None:
    """At least 95 of 100 Chinese characters are read."""
    font = next((font for font in CHINESE_FONTS if Path(font).exists()), None)
    if font is None:
        pytest.skip("no Chinese font: apt-get install fonts-wqy-zenhei")
    page = drawn([CHINESE[at : at + 20] for at in range(0, len(CHINESE), 20)], font=font)
    found, wanted = Counter(read_image(saved(page, "PNG"))), Counter(CHINESE)
    assert sum((found & wanted).values()) >= 0.95 * len(CHINESE)


@pytest.mark.parametrize(("name", "least"), [("phototest", 1.0), ("eurotext", 0.95)])
def test_scans_are_read(name: str, least: float) -> None:
    """Scans that others measure with too; `bench.ocr` measures more of them."""
    if not SCANS.exists():
        pytest.skip(f"no scans in {SCANS.relative_to(REPOSITORY.parent)}")
    truth = (SCANS / f"{name}.txt").read_text(encoding="utf-8")
    assert recall(truth, read_image((SCANS / f"{name}.tif").read_bytes())) >= least


def test_without_the_extra_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever did not install the extra `ocr` learns how, for a package and for a clone."""
    monkeypatch.setattr(ocr_engine, "find_spec", lambda _: None)
    ocr_engine._load_models.cache_clear()
    try:
        with pytest.raises(DocumentError, match=r"pip install 'headwater\[ocr\]'.*pip install -c constraints.txt -e"):
            read_image(saved(Image.new("RGB", (40, 30)), "PNG"))
    finally:
        ocr_engine._load_models.cache_clear()


def test_models_are_loaded_once() -> None:
    """Threads that ask at the same time get the same models."""
    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(ocr_engine.load())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] is found[1]
