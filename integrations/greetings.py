"""Messages that want no answer.

Belongs here: recognising them. Not here: what platforms add to a text. Guarantee: pure; a text with a question mark is
always a question.
"""

import re

_MAX_GREETING_CHARS = 40  # characters
_WORDS = (
    r"hi|hello|hey|hiya|yo|good (?:morning|afternoon|evening|day)|thx|ty|cheers"
    r"|thanks?(?: you)?(?: (?:a lot|so much|very much))?"
    r"|great|nice|cool|perfect|ok(?:ay)?|bye|goodbye|see you|welcome"
    r"|hallo|guten (?:morgen|tag|abend)|moin|danke(?: (?:schön|dir|sehr))?|tschüss|hola|gracias|bonjour|salut|merci"
)
_GREETED = r"(?:[ ,]+(?:all|everyone|everybody|there|team|folks|bot|headwater|zusammen|alle))?"
_GREETING = re.compile(rf"(?:(?:{_WORDS}){_GREETED}[\s,.!:)👋🙏👍🙂😊]*)+", re.IGNORECASE)


def wants_answer(text: str) -> bool:
    """Whether a message is more than a greeting, thanks or signs."""
    words = text.strip()
    if not any(character.isalnum() for character in words):
        return False
    return len(words) > _MAX_GREETING_CHARS or not _GREETING.fullmatch(words)
