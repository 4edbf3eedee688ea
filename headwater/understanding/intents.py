"""The kind of answer that a question wants, from its wording (RET-3).

Belongs here: the intents and their words, in English first and in languages with similar questions. Not here: the
effect of an intent. Guarantee: pure; every question has one intent, `lookup` if no rule applies.
"""

import re
from enum import StrEnum


class Intent(StrEnum):
    """A kind of answer."""

    HOW_TO = "how-to"
    DEFINITION = "definition"
    TROUBLESHOOTING = "troubleshooting"
    COMPARISON = "comparison"
    LIST = "list"
    YES_NO = "yes-no"
    LOOKUP = "lookup"
    CHIT_CHAT = "chit-chat"


_CHIT_CHAT = (
    r"(?:hi|hello|hey|hallo|hola|bonjour|ciao|good (?:morning|afternoon|evening|day))(?: there| all| everyone| bot)?",
    r"(?:(?:many )?thanks?|thank you|thx)(?: (?:you|so|very|a|lot|much|for|your|that|the|help))*",
    r"danke|merci|gracias|grazie|bye|goodbye|see you",
    r"ok(?:ay)?|great|cool|nice|perfect|awesome|excellent|alright|all right|i see|got it|understood|makes sense",
    r"(?:that|this)(?:'s| is| was)? (?:helps|helpful|great|good|perfect|it|all)",
    r"how are you(?: today| doing)?|who are you|what(?: is|'s) your name|what can you do",
    r"are you (?:a )?(?:bot|human|real|robot)|tell me a joke", r"你好|谢谢|こんにちは|ありがとう",
)  # fmt: skip
_COMPARISON = (
    r"\b(?:compar(?:e|es|ed|ing|ison)|versus|vs\.?|differ(?:s|ence|ences)?)(?!\w)",
    r"\b(?:better than|pros and cons|trade[- ]?offs?)\b|^\S.{0,60} or .{1,60}?[,:;–-] (?:which|what|how)\b",
    r"\b(?:which|what) (?:is|are|one is) (?:the )?(?:better|best|faster|cheaper)\b.{1,200}\bor\b",
    r"\b(?:comparaison|comparación|comparação|confronto|vergelijking)\b",
    r"\b(?:unterschied\w*|vergleich\w*|différences?|comparer|diferen[cç]i?as?|comparar|differenz[ae]|verschil(?:len)?)\b|区别|比较|(?<!間)違[いう]|異な[るり]|比べ|比較",
)
_TROUBLESHOOTING = (
    r"\b(?:fails?|failed|failing|broken|crash(?:es|ed|ing)?|stuck|hangs?|unable to)\b",
    r"\b(?:cannot|can't|doesn't|does not|isn't|won't)\b",
    r"\b(?:not working|troubleshoot\w*|fix|solve|went wrong|what's wrong|traceback)\b|\b\w+(?:Error|Exception)\b",
    r"\b(?:an?|this|the|following) (?:\w+ )?(?:error|exception)\b(?! (?:handler|handling|page))|\berrors?:|\berror \d",
    r"\b(?:fehlermeldung|funktioniert nicht|erreur|ne fonctionne pas|no funciona|errore|non funziona)\b",
    r"报错|失败|エラー|失敗",
)
_HOW_TO = (
    r"^how (?:do|does|can|should|could|would|to|might|must)\b(?!.{0,200}\bwork\b)",
    r"\bhow (?:to|do i|can i|do we|can we)\b|^what(?:'s| is) the (?:best )?way to\b",
    r"^(?:what are|show me|give me) the steps\b|^(?:steps|instructions) (?:to|for)\b",
    r"^wie (?:kann|mache?|richte|installier\w*|soll|geht|muss)\b|^comment\b|^cómo\b|^come (?:posso|si|fare)\b|^como\b",
    r"^(?:怎么|如何)|どうやって|する方法",
)
_LIST = (
    r"^(?:list|enumerate|name (?:all|the|some|three|two|\d)|give me (?:a (?:\w+ ){0,2}list|all|some|examples))\b",
    r"^(?:what|which) (?:are|were) (?:all |some of |some |the )",
    r"^(?:what|which) (?:\w+ )?(?:kinds?|types?|sorts?|options)\b",
    r"^(?:welche|quels|quelles|cuáles|quali|quais)\b|哪些",
)  # fmt: skip
_DEFINITION = (
    r"^what (?:is|are|does) .{1,80} (?:mean|stand for)\b",
    r"^what(?:'s| is| are) (?:an? )?(?!the\b|my\b)[\w.`-]+(?: [\w.`-]+){0,2} ?\?*$",
    r"^(?:define|definition of|what do you mean by|meaning of)\b|^who (?:is|was)\b",
    r"^was (?:ist|bedeutet|heißt)\b|^qu'est-ce qu|\bc'est quoi\b|^qué (?:es|significa)\b|^(?:che )?cos'è|^o que é",
    r"是什么|什么是|とは",
)  # fmt: skip
_YES_NO = (
    r"^(?:is|are|am|was|were|do|does|did|can|could|should|shall|will|would|has|have|had|may|might|must)\b",
    r"^(?:isn't|aren't|don't|doesn't|ist|sind|kann|können|darf|hat|est-ce qu|puis-je|peut-on|puedo|hay|posso)\b",
    r"吗[?？]?$|ですか[?？。]?$",
)
_RULES = tuple(
    (intent, re.compile("|".join(rules), re.IGNORECASE))
    for intent, rules in (
        (Intent.COMPARISON, _COMPARISON),
        (Intent.TROUBLESHOOTING, _TROUBLESHOOTING),
        (Intent.HOW_TO, _HOW_TO),
        (Intent.LIST, _LIST),
        (Intent.DEFINITION, _DEFINITION),
        (Intent.YES_NO, _YES_NO),
    )
)
_SAID = "|".join(_CHIT_CHAT)
_SMALL_TALK = re.compile(rf"(?:{_SAID})(?:[,.!… ]+(?:{_SAID}))*", re.IGNORECASE)
_POLITE = re.compile(
    r"^(?:(?:hi|hello|hey|hallo)\b[,!. ]*+|please\b[, ]*+|i(?:'m| am) (?:trying to find out|wondering)[, ]++|"
    r"(?:can|could|would) you (?:please )?(?:tell|show|explain to) me[, ]++|"
    r"i (?:want|would like|need) to know[, ]++)++",
    re.IGNORECASE,
)


def intent_of(text: str) -> Intent:
    """Return the kind of answer that a question wants.

    Args:
        text: the question's language, without code.
    """
    plain = _join_lines(text)
    if _SMALL_TALK.fullmatch(plain.strip(" .,!?…。！？")):
        return Intent.CHIT_CHAT
    plain = without_politeness(plain)
    return next((intent for intent, rule in _RULES if rule.search(plain)), Intent.LOOKUP)


def bare_question(text: str) -> str:
    """A question on one line, without a polite beginning and the marks at its end."""
    return without_politeness(_join_lines(text)).strip(" .!?…。！？:")


def without_politeness(text: str) -> str:
    """A question without a polite beginning, such as "Hi, could you tell me"."""
    return _POLITE.sub("", text)


def _join_lines(text: str) -> str:
    """A text on one line, with the apostrophe of "what's" as rules have it: phones type another one."""
    return " ".join(text.split()).replace("’", "'")
