"""Noticing that a reply, or a sentence of it, says that the sources do not hold the answer.

Belongs here: the words by which models decline. Not here: what the reader is told instead (`headwater.answering`).
Guarantee: pure; a sentence about the subject of the sources is not taken for a refusal because it has a `not`.

Small models are told to refuse in words (`messages`), because they write a sentinel whatever the sources hold.
"""

import re

_THINGS = (
    r"(?:sources?|passages?|documents?|contexts?|texts?|information|excerpts?|materials?|quotes?|knowledge base|"
    r"documentation|provided|given)"
)
_SAY = (
    r"(?:contain|hold|mention|provide|include|say|state|answer|specify|give|cover|address|describe|explain|have|indicate|"
    r"list|discuss|offer|detail|clarify|define|tell)"
)
_SAID = (
    r"(?:mentioned|specified|provided|stated|given|covered|available|included|found|listed|addressed|described|"
    r"answered)"
)
_CANNOT = r"(?:can ?not|can['’]?t|could not|could ?n['’]t|unable to|was ?n['’]t able to)"
_DECLINING = (
    r"\bI (?:do not|don['’]?t) (?:really |actually )?(?:know|have (?:\w+ ){0,4}?(?:information|answer|details))",
    r"\bI(?:['’]m| am) (?:sorry|unable|not (?:able|sure|aware))",
    rf"\bI {_CANNOT} (?:\w+ ){{0,3}}?(?:answer|find|determine|provide|tell|say|locate|help|give)",
    rf"\b{_CANNOT} (?:\w+ ){{0,2}}?(?:answer|determine)",
    rf"\b{_THINGS} (?:[\w'-]+ ){{0,4}}?(?:do|does|did) ?(?:not|n['’]?t) (?:\w+ ){{0,3}}?{_SAY}",
    (
        r"\b(?:no|not any|no specific|insufficient|not enough) (?:[\w-]+ ){0,3}?"
        r"(?:information|mention|answer|details?|data|reference) (?:[\w,-]+ ){0,8}?(?:in|about|on|regarding|to|from) "
    ),
    rf"\bnot (?:\w+ ){{0,2}}?{_SAID} (?:[\w-]+ ){{0,3}}?(?:in|by|within|from) (?:\w+ ){{0,3}}?{_THINGS}",
    rf"\bis not (?:in|part of|contained in) (?:\w+ ){{0,2}}?{_THINGS}",
    # German
    r"\bich wei(?:ß|ss) (?:es )?(?:leider )?nicht|\bdas wei(?:ß|ss) ich (?:leider )?nicht",
    (
        r"\b(?:quellen?|passagen?|dokumente?n?|texte?n?|abschnitte?n?|unterlagen|informationen) (?:\w+ ){0,4}?"
        r"(?:enthalten|enthält|nennen|nennt|sagen|sagt|beantworten|beantwortet|erwähnen|erwähnt|geben) (?:\w+ ){0,5}?"
        r"(?:kein\w*|nicht)"
    ),
    r"\b(?:keine|nicht genug) (?:\w+ ){0,2}?(?:angaben?|informationen|antwort) ",
    # French
    r"\bje ne (?:le )?sais pas|\baucune (?:information|réponse|mention)",
    (
        r"\b(?:sources|passages|documents|extraits|textes) ne (?:\w+ ){0,3}?"
        r"(?:contiennent|mentionnent|disent|répondent|précisent|donnent|fournissent) pas"
    ),
    # Spanish, Italian, Portuguese, Dutch
    r"\bno (?:lo )?s[ée]\b(?=[.,!]|$)|\bnon lo so\b|\b(?:eu )?n[ãa]o sei\b|\bik weet het niet",
    (
        r"\b(?:fuentes|pasajes|documentos|textos) no (?:\w+ ){0,2}?"
        r"(?:contienen|mencionan|dicen|responden|proporcionan|incluyen|indican)"
    ),
    r"\b(?:fonti|passaggi|documenti|testi) non (?:\w+ ){0,2}?(?:contengono|menzionano|dicono|rispondono|forniscono)",
    r"\b(?:fontes|trechos|documentos|textos) n[ãa]o (?:\w+ ){0,2}?(?:cont[êe]m|mencionam|dizem|respondem|fornecem)",
    r"\bbronnen (?:\w+ ){0,3}?(?:bevatten|vermelden|noemen) (?:\w+ ){0,4}?(?:geen|niet)",
    # Russian, Japanese, Chinese
    r"я не знаю|источник\w* не (?:содерж|упомина|указыва)",
    r"わかりません|分かりません|記載(?:されて|が|は)?(?:い)?(?:ません|ない|ありません)",
    r"我不知道|(?:没有|未)(?:提供|提到|包含|说明|提及)",
)
_DECLINES = re.compile("|".join(_DECLINING), re.IGNORECASE)
_BEGINNING = (
    r"I\b|sorry|unfortunately|based on|according to|there (?:is|are|was) no|no\b|none|not\b|it is not|it's not",
    r"this is not",
    rf"(?:the|these|those|this|my|all|none of the|neither of the|your)? ?(?:\w+ )?{_THINGS}",
    r"the (?:answer|question|exact|specific)",
    r"ich|das|die|der|es|in den|keine|leider|aufgrund|laut|je|les|aucun|d[ée]sol[ée]|malheureusement",
    r"lo siento|no |las?|los|el|non|le fonti|n[ãa]o|as|os|eu|ik|de bronnen|helaas",
    r"я|в |источник|к сожалению|わか|分か|申し訳|提供|記載|我|没有|根据|抱歉|对不起",
)
_BEGINS = re.compile(f"(?:{'|'.join(_BEGINNING)})", re.IGNORECASE)
_UNDECIDED = 30  # characters, as many as the longest beginning has
_AROUND = " \t\r\n\"'`*_.“”-"


def declines(text: str) -> bool:
    """Whether a sentence says that the sources do not hold the answer."""
    return _DECLINES.search(" ".join(text.split())) is not None


def may_decline(beginning: str) -> bool:
    """Whether a sentence that begins so may turn out to decline; true as long as too little of it is known."""
    said = " ".join(beginning.lstrip(_AROUND).split())
    return len(said) < _UNDECIDED or _BEGINS.match(said) is not None
