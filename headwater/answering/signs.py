"""The kinds of answers, and the wording that a text must have to be one: a number, a time, a reason.

Belongs here: the words and patterns of answers. Not here: which kind a question wants (`asked`). Guarantee: pure; every
pattern takes linear time.
"""

import re
from enum import StrEnum


class Want(StrEnum):
    """A kind of answer."""

    NUMBER = "number"
    PERSON = "person"
    TIME = "time"
    PLACE = "place"
    REASON = "reason"
    STEPS = "steps"
    LIST = "list"
    CODE = "code"
    DEFINITION = "definition"
    YES_NO = "yes-no"
    COMPARISON = "comparison"
    ANYTHING = "anything"


def any_of(words: str, *patterns: str) -> re.Pattern[str]:
    """A pattern for any of some words, or of some other patterns.

    Args:
        words: regular expressions of words, separated by spaces; `_` stands for a space within one.
        patterns: regular expressions that need not end with a word.
    """
    listed = "|".join(word.replace("_", " ") for word in words.split())
    return re.compile("|".join([rf"\b(?:{listed})\b", *patterns]), re.IGNORECASE)


_COUNT = (
    r"(?:\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty|sixty|"
    r"ninety|few|several)"
)
_DIGIT = r"(?<![A-Za-z_/#])(?<![A-Za-z]-)\d"  # not within a name, such as `S3` or `utf-8`, nor within an address
_OF_TIME = (
    r"(?:(?:milli|micro)?seconds?|secs?|min(?:ute)?s?|hours?|hrs?|days?|nights?|weeks?|wks?|months?|quarters?|"
    r"years?|yrs?)"
)
_DURATION = (
    rf"\b{_COUNT}[ -](?:[a-z]+ )?{_OF_TIME}\b|\ban? (?:minute|hour|day|week|month|year)\b|"
    r"\d ?(?:ms|s|m|h|d)\b"
)
_SIGNS = {
    Want.NUMBER: any_of(
        "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty "
        "seventy eighty ninety hundred thousand million half unlimited none twice double single",
        (
            rf"{_DIGIT}|(?-i:\bonce\b)(?! (?:all|the|you|it|this|that|we|they|your|its)\b)|"
            r"\bone\b(?! (?:of|or|can|could|may|might|must|should)\b)|[一二三四五六七八九十百千]"
        ),
    ),
    Want.TIME: any_of(
        "january february march april may june july august september october november december monday tuesday "
        "wednesday thursday friday saturday sunday daily weekly monthly annually night morning noon midnight before "
        "after when whenever until once every during within if days? hours? weeks? months? years? version",
        r"\d",
    ),
    Want.PLACE: any_of("in at under on from to inside into via through beside near", r"\w/\w", r"/\w", "`"),
    Want.PERSON: re.compile(
        r"(?<=[a-z,;] )[A-Z][\w'’.-]+|\b(?:team|manager|officer|administrators?|admins?|owners?|users?|employees?|"
        r"members?|department|maintainers?|developers?|supervisor|director|president|chief|provider|anyone|everyone|people|you)\b"
    ),
    Want.REASON: any_of(
        "because since so_that in_order_to due_to as_a_result therefore thus (?:that.s|that_is|this_is|which_is)_why "
        "to_avoid to_ensure to_prevent reasons? means otherwise allows? helps? ensures? prevents? makes?_it causes? "
        "weil damit parce_que car porque perché",
        "因为|ため|потому",
    ),
    Want.STEPS: any_of(
        "should must needs?_to have_to please run use using click set add create install select open go_to contact "
        r"call follow submit choose enter press by_\w+ing",
        "```",
    ),
    Want.LIST: re.compile(r",[^,.]{1,80}(?:,| and | or )|^[ \t]*(?:[-*+•]|\d+[.)])[ \t]|```|\||:$", re.MULTILINE),
    Want.YES_NO: any_of(
        "yes no not never cannot can't only supports? supported can may must required allowed possible available "
        "covers? covered includes? included is are will"
    ),
    Want.COMPARISON: any_of("while whereas unlike than but however differs? differences? instead both compared only"),
}
_MAY = re.compile(
    r"\b(?:may|can|could)\b(?! (?:i|we|you|one|be|help)\b)|"
    r"\b(?:allowed|permitted|able|permissions?|rights?|access|entitled|eligible|qualif\w+)\b",
    re.IGNORECASE,
)
_THOSE_WHO_MAY = any_of(
    "only permissions? allow(?:s|ed)? permit(?:s|ted)? authori[sz]ed groups? roles? admins? administrators? owners? "
    "members? eligible entitled employees? managers? supervisors? teams? departments? must anyone everyone"
)
"""What a text says that tells who may do something, rather than how it is done."""
_SET_TIME = (  # a setting or a call, as in `idle_timeout: 15` or `minutes=30`
    r"\b\w*(?:timeout|interval|period|age|lifetime|ttl|retention|delay|duration|expir\w*|seconds?|minutes?|hours?|"
    r"days?)\w*[\"'`]?[ \t]*[:=][ \t]*[\"'`]?\d"
)
_NUMBERS = tuple(
    (re.compile(rule, re.IGNORECASE), sign)
    for rule, sign in (
        (
            r"\bhow (?:often|frequently)\b|\bfrequency\b|\binterval\b",
            any_of(
                "daily weekly monthly quarterly yearly annually annual hourly nightly once twice never cron",
                rf"\b(?:every|each|per|an?) (?:other |few |single )?(?:[\w*`]+ )?{_OF_TIME}\b",
                r"(?<!\S)(?:[\d,*/-]+ ){4}[\d,*/-]+(?!\S)",
                _DURATION,
                _SET_TIME,
            ),
        ),
        (
            (
                r"\bhow (?:long|soon|old|quickly|(?:far|early) (?:ahead|before|in advance))\b|"
                r"\b(?:duration|timeout|deadline|age|period)\b"
            ),
            any_of("timedelta immediately forever indefinitely overnight", _SET_TIME, _DURATION),
        ),
        (r"\b(?:share|percentage|percent|proportion)\b", any_of("half percent per_cent", "%")),
        (r"\bphone\b", re.compile(r"\+?\d[\d -]{5,20}\d")),
        (r"\bports?\b", re.compile(r"(?<![\d.])\d{2,5}(?![\d.]*\d)")),
        (
            r"\bversions?\b|\b(?:oldest|newest)\b",
            any_of(
                "or_(?:newer|later|above|higher) and_(?:newer|later|above|up|higher)",
                r"\d\.\d|\bv?\d+\+|[<>]=? ?\d|"
                r"\bversions? (?:to |is |of |number )?`?v?\d|(?-i:\b[A-Z][\w.]* v?\d)",
            ),
        ),
    )
)


_WRITTEN = tuple(
    (re.compile(rf"\b(?:what|which)\b.{{0,40}}?\b(?:{nouns})\b", re.IGNORECASE), re.compile(sign, re.MULTILINE))
    for nouns, sign in (
        (r"variables?", r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9]\b"),
        (r"flags?|switch", r"(?<!\S)`?--?[a-z]"),
        (r"decorators?", r"@\w"),
        (r"headers?", r"\b[A-Z][A-Za-z]*(?:-[A-Z][A-Za-z]*)+\b|`[^`\n]+`"),
        (r"functions?|methods?", r"\w\(|`[^`\n]*\w`"),
        (
            r"settings?|options?|parameters?|keys?|annotations?|labels?|fields?",
            r"`[^`\n]+`|```|^[^\S\n]*[\w.-]+ ?[:=]|\b\w+_\w+\b",
        ),
        (r"commands?", r"```|`[^`\n]+`|^[^\S\n]*[$>] "),
    )
)
"""How a thing of code that a question asks for is written."""


def sign_of(want: Want, question: str) -> re.Pattern[str] | None:
    """What an answer must have: by the kind of answer and, for a number, by what it measures; None if unknown."""
    if want == Want.NUMBER:
        return next((sign for rule, sign in _NUMBERS if rule.search(question)), _SIGNS[want])
    if want == Want.PERSON and _MAY.search(question):
        return _THOSE_WHO_MAY
    if want == Want.CODE:
        return next((sign for rule, sign in _WRITTEN if rule.search(question)), None)
    return _SIGNS.get(want)
