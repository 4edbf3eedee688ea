"""What a model wrote as words alone, such as a summary: a text that it read may have told it to write more (SEC-1).

Belongs here: taking tags, images and addresses out. Not here: answers, whose links are those of their passages
(`markers`). Guarantee: pure; code in backticks stays as it is; what comes out has no tag of HTML, no image and no
address; it comes out the same when it goes in again.
"""

import re

from headwater.parsing.markdown.html_tags import ELEMENTS

_CODE = re.compile(r"(?<![`\\])(`+)(?!`)[^\n]{1,1000}?(?<!`)\1(?!`)")
_ANGLE = re.compile(
    r"<!--.*?(?:-->|\Z)|<(?P<sign>[/!?]?)(?P<name>[a-z][a-z0-9:-]*)(?P<more>[^<>]*)>|<(?=[a-z/!?])",
    re.IGNORECASE | re.DOTALL,
)
_ATTRIBUTE = re.compile(r"[=@]|//")
_UNSEEN = frozenset({"iframe", "embed", "frame", "script", "style", "svg", "math", "base", "marquee", "blink"})
_IMAGE = re.compile(r"!\[[^\]\n]*\](?:\([^)\n]*\)|\[[^\]\n]*\])?")
_LINK = re.compile(r"\[([^\[\]\n]+)\](?:\([^)\n]*\)|\[[^\]\n]*\])")
_DEFINITION = re.compile(r"^ {0,3}\[[^\]\n]+\]:[ \t]*\S.*$", re.MULTILINE)
_ADDRESS = re.compile(r"(?:\b(?:https?|ftps?)://|\bwww\.)[^\s<>\"'`]*[^\s<>\"'`.,;:!?)\]*_]", re.IGNORECASE)
_GONE = re.compile(r"[ \t]?(?:[(\[]\s*\0\s*[)\]]|\0)")
_ROUNDS = 20
_MARKS = re.compile(r"[<>\[\]!`]")  # of a text that hides one tag in another, again and again
_ELSEWHERE = re.compile(r"https?:|www\.|\]\(|<[a-z/!]", re.IGNORECASE)


def leads_elsewhere(text: str) -> bool:
    """Whether a text that is shown as a name or a question has a link or a tag."""
    return _ELSEWHERE.search(text) is not None


def without_links(text: str) -> str:
    """A text without tags, images and addresses; of a link, its words stay."""
    for _ in range(_ROUNDS):
        plain = _pass(text)
        if plain == text:
            return text
        text = plain.strip()
    return _pass(_MARKS.sub("", text)).strip()


def _pass(text: str) -> str:
    """The text without what stands open; what was around it may be a tag now."""
    texts, end = [], 0
    for code in _CODE.finditer(text):
        texts += [_words(text[end : code.start()]), code[0]]
        end = code.end()
    return "".join([*texts, _words(text[end:])])


def _words(text: str) -> str:
    text = _LINK.sub(r"\1", _DEFINITION.sub("", _IMAGE.sub("", text)))
    return _GONE.sub("", _ADDRESS.sub("\0", _ANGLE.sub(_angle, text)))


def _angle(match: "re.Match[str]") -> str:
    """Nothing for a tag; a placeholder such as `<name>` and a type such as `List<int>` stay."""
    name, attributes = match["name"], match["more"]
    if name is None:
        return "" if match[0].startswith("<!--") else "< "
    is_tag = (
        match["sign"] or name.lower() in ELEMENTS | _UNSEEN or _ATTRIBUTE.search(attributes) or attributes.endswith("/")
    )
    return "" if is_tag else match[0]
