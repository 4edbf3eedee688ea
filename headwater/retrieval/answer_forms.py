"""The form that a question wishes its answer in, such as `make me a table of` or `in one sentence`.

Belongs here: the words of such wishes. Not here: the kind of answer that a question wants (`understanding.intents`),
how an answer is written. Guarantee: pure; a question that is nothing but a wish stays as it is; so does one that asks
how a table or a list is made.

Nobody writes `table` or `sentence` into a manual because a reader wishes one. Without this, such a word counts as one
that the passages lack, and the question is refused.
"""

import re
from functools import lru_cache

_POLITE = (
    r"(?:(?:please|pls|hi|hello|hey)[, ]+)?"
    r"(?:(?:can|could|would|will) you (?:please )?|i(?:'d| would) like (?:to have )?|i (?:want|need) )?"
)
_KIND = (
    r"(?:(?:very|really|quick|short|small|brief|simple|little|nice|neat|concise|compact|full|plain|rough|high-level|"
    r"one-line|one-sentence|two-line|bullet|bulleted|numbered|markdown|comparison|side-by-side|step-by-step|executive)"
    r"[ ,]{1,2})"
)
_LAYOUT = (
    r"(?:table|list|overview|summary|cheat[ -]?sheet|bullet ?points|bullets|bullet(?: ?point)? list|check ?list|"
    r"rundown|recap|breakdown|one-liner|tl;?dr)(?: form)?"
)
_TEXT = r"(?:sentence|paragraph|explanation|answer|version|walk-?through|outline|reply)"
_OF = r"(?: ?[:,–—] ?| (?:of|on|about|for|with|showing|listing|comparing|covering|that (?:shows|lists|compares|says)) )"
_TO_ME = r"(?:make|give|show|draw|write|create|build|prepare|produce|generate|get|draft|compile|send|do) (?:me|us) "
_VERB = r"(?:make|give|show|draft|compile|put together|prepare) "
_ARTICLE = r"(?:an? |the |some )?"
_COUNT = (
    r"(?:an?|one|two|three|four|five|ten|a few|a couple of|few|several|\d{1,3}|at most \w{1,6}|no more than \w{1,6})"
)
_UNIT = r"(?:sentences?|words?|lines?|paragraphs?|bullets?|bullet ?points?|nutshell)"
_BRIEF = (
    rf"in (?:just |only |about )?{_COUNT} {_KIND}?{_UNIT}|"
    r"in (?:short|brief|plain (?:english|words|language)|simple (?:terms|words|english)|layman's terms|table form)|"
    rf"(?:as|in) {_ARTICLE}{_KIND}{{1,3}}(?:table|list|summary)|(?:as|in) bullet ?points|step by step"
)
_ONLY = r"(?:just|only) (?:the|a) (?:number|name|answer|command|list|table|value|date|price)s?"
_WISH = (
    rf"{_BRIEF}|(?:as|in|into) {_ARTICLE}{_LAYOUT}|{_ONLY}|briefly|"
    rf"{_ARTICLE}{_KIND}{{1,3}}(?:{_LAYOUT}|{_TEXT})|{_ARTICLE}{_LAYOUT} please|"
    rf"(?:{_TO_ME}|{_VERB}(?:it )?|keep it |make (?:it|that) ){_ARTICLE}{_KIND}{{0,3}}"
    rf"(?:{_LAYOUT}|{_TEXT}|short|brief|simple)|"
    rf"(?:answer|reply|explain|format|present|put|write|say) (?:it |this |that |them )?"
    rf"(?:{_BRIEF}|(?:with|using) {_COUNT} {_KIND}?{_UNIT}|(?:as|in|into) {_ARTICLE}{_LAYOUT})|"
    rf"{_COUNT} {_KIND}?{_UNIT}|yes or no|tl;?dr|eli5|explain like i'?m five|nothing else|no explanation"
)
_FIRST = re.compile(
    rf"\s*+{_POLITE}(?:(?:{_TO_ME}{_ARTICLE}{_KIND}{{0,3}}(?:{_LAYOUT}|{_TEXT})"
    rf"|(?:{_VERB})?{_ARTICLE}{_KIND}{{1,3}}(?:{_LAYOUT}|{_TEXT})){_OF}"
    rf"|(?:{_VERB})?{_ARTICLE}{_LAYOUT}(?: ?: ?| (?:of|about|showing|listing|comparing) )"
    rf"|(?:{_BRIEF}|tl;?dr|eli5|briefly|{_ARTICLE}{_KIND}{{1,3}}question) ?[:,–—-]? "
    r"|(?:summari[sz]e|sum up|recap|enumerate)(?: for me| briefly| quickly)? (?=\w)"
    r"|list(?: out| up)?(?: for me)? (?=(?:all|the|every|some|any|which|what|our|your)\b))",
    re.IGNORECASE,
)
_LAST = re.compile(
    rf"(?:[,.;:!?(–—]\s*|\s-\s)(?:please |and )?(?:{_WISH})(?: please| is fine| would be (?:nice|great))?[\s.!?)]*$"
    rf"|\s(?:{_BRIEF})(?: please)?[\s.!?)]*$",
    re.IGNORECASE,
)
_LAYOUT_LAST = re.compile(rf"\s(?:as|in) (?:an? ){_LAYOUT}(?: please)?[\s.!?)]*$", re.IGNORECASE)
_HOW = re.compile(r"\b(?:how|can|could|may|does|do|is|are|should|why) ", re.IGNORECASE)
_LONGEST = 600  # characters of a question with wishes: a longer one describes a case


@lru_cache(maxsize=1 << 8)
def without_form(question: str) -> str:
    """A question without the words that only say how its answer should look.

    Args:
        question: as it was asked; a part of one, too.

    Returns:
        What is left, or the question itself if no word is left.
    """
    if len(question) > _LONGEST:
        return question
    rest = _FIRST.sub("", question, count=1) if _FIRST.match(question) else question
    rest = _without_end(rest)
    return rest if any(letter.isalnum() for letter in rest) else question


def _without_end(text: str) -> str:
    end = _LAST.search(text) or (None if _HOW.match(text.lstrip()) else _LAYOUT_LAST.search(text))
    if end is None:
        return text
    mark = "?" if "?" in end[0] else ""
    return f"{text[: end.start()].rstrip()}{mark}"
