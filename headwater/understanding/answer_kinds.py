"""Whether a question asks for a quantity, and whether a text has one.

Belongs here: the English words for quantities. Not here: what follows from it (`headwater.quote`,
`headwater.retrieval.trust`). Guarantee: pure.
"""

import re

_ASKS = re.compile(
    r"\bhow (?:many|much|long|old|far|high|late|early|soon|often|big|large|fast|tall|deep|wide)\b"
    r"|\b(?:rate|limit|fee|fare|cost|price|maximum|minimum|max|min|default|timeout|deadline|percentage)\b|\bwhen\b",
    re.IGNORECASE,
)
_HAS = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|dozens?|half|hundred|thousand|million|once|twice)\b",
    re.IGNORECASE,
)


def asks_for_quantity(question: str) -> bool:
    """Whether a question asks for a number, an amount, a duration or a date."""
    return _ASKS.search(question) is not None


def has_quantity(text: str) -> bool:
    """Whether a text has a number, in digits or as a word."""
    return _HAS.search(text) is not None
