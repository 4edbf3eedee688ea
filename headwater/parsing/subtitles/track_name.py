"""The title of a file of subtitles, which has none: the name of what was recorded, from its path.

Belongs here: reading a path. Not here: the titles of videos with a page (`headwater.sources.video`). Guarantee: pure;
the title has a word of the path, or is empty.
"""

import mimetypes
import posixpath
import re
from urllib.parse import unquote

from headwater.domain.languages import language_code

_VIDEO_ID = re.compile(r"\s*\[(?:[\w-]{11}|(?=[\w-]*\d)[\w-]{6,})\]\Z")  # which yt-dlp writes after the title
_SEPARATORS = re.compile(r"[\s._-]+")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_KINDS = frozenset((
    "auto", "automatic", "caption", "captions", "cc", "closed", "corrected", "final", "generated", "orig", "original",
    "sdh", "srt", "sub", "subs", "subtitle", "subtitles", "track", "transcript", "transcription", "vtt", "whisper",
))  # fmt: skip
"""Words for the file, not for what was recorded."""


def name_recording(uri: str, root: str = "") -> str:
    """What a file of subtitles is called, from its name and as many of its folders as it takes to have a word.

    `cross-products/english/captions.srt` is "cross-products", `Opening [f3KxT9aQ].en.vtt` is "Opening".
    """
    path = posixpath.relpath(uri, root) if root else uri
    *folders, file_name = unquote(path).split("/")
    title = ""
    for name in [_trim_file_name(file_name), *reversed(folders)]:
        words = _SEPARATORS.split(name)
        if all(not word or word.lower() in _KINDS or language_code(word) for word in words):
            continue
        title = f"{name} {title}".strip()
        if any(_is_word(word) for word in words):
            return title
    return title


def _trim_file_name(name: str) -> str:
    """A name without its endings, such as `.transcript.vtt` and `.mp4.en.srt`, and without the video's id."""
    stem, ending = posixpath.splitext(posixpath.splitext(name)[0])
    while ending and _says_nothing(ending):
        stem, ending = posixpath.splitext(stem)
    return _VIDEO_ID.sub("", stem + ending)


def _says_nothing(ending: str) -> bool:
    kind = ending[1:].lower()
    is_recording = (mimetypes.guess_type(f"name{ending}")[0] or "").startswith(("video/", "audio/"))
    return kind in _KINDS or is_recording or (" " not in kind and language_code(kind) != "")


def _is_word(text: str) -> bool:
    return _LETTERS.search(text) is not None and text.lower() not in _KINDS
