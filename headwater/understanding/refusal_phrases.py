"""Noticing that a reply, or a sentence of it, says that the sources do not hold the answer.

Belongs here: the words by which models decline. Not here: what the reader is told instead (`headwater.answering`).
Guarantee: pure; a sentence about the subject of the sources is not taken for a refusal because it has a `not`.

Small models are told to refuse in words (`headwater.generation.prompt_messages`), because they write a sentinel
whatever the sources hold.
"""

import re

_THINGS = (
    r"(?:sources?|passages?|documents?|contexts?|texts?|information|excerpts?|materials?|quotes?|knowledge base|"
    r"documentation|provided|given)"
)
_SAY = (
    r"(?:contain|hold|mention|provide|include|say|state|answer|specify|give|cover|address|describe|explain|have"
    r"|indicate|"
    r"list|discuss|offer|detail|clarify|define|tell)"
)
_DECLINES = re.compile(
    # English
    r"\bI (?:do not|don['’]?t) (?:really |actually )?(?:know|have (?:\w+ ){0,4}?(?:information|answer|details))"
    r"|\bI(?:['’]m| am) (?:sorry|unable|not (?:able|sure|aware))|\bI (?:can ?not|can['’]?t|could ?n[o']t|could not"
    r"|was ?n[o']t able to)"
    r" (?:\w+ ){0,3}?(?:answer|find|determine|provide|tell|say|locate|help|give)"
    rf"|\b{_THINGS} (?:[\w'-]+ ){{0,4}}?(?:do|does|did) ?(?:not|n['’]?t) (?:\w+ ){{0,3}}?{_SAY}"
    rf"|\b(?:no|not any|no specific|insufficient|not enough) (?:[\w-]+ ){{0,3}}?(?:information|mention|answer"
    rf"|details?|data|reference)"
    rf" (?:[\w,-]+ ){{0,8}}?(?:in|about|on|regarding|to|from) |\bnot (?:\w+ ){{0,2}}?(?:mentioned|specified|provided"
    rf"|stated|given|"
    rf"covered|available|included|found|listed|addressed|described|answered) (?:[\w-]+ ){{0,3}}?(?:in|by|within"
    rf"|from) (?:\w+ ){{0,3}}?{_THINGS}"
    rf"|\bis not (?:in|part of|contained in) (?:\w+ ){{0,2}}?{_THINGS}|\b(?:unable to|can ?not|can['’]?t|could not)"
    rf" (?:\w+ ){{0,2}}?(?:answer|determine)"
    # German
    r"|\bich wei(?:ß|ss) (?:es )?(?:leider )?nicht|\bdas wei(?:ß|ss) ich (?:leider )?nicht"
    r"|\b(?:quellen?|passagen?|dokumente?n?|texte?n?|abschnitte?n?|unterlagen|informationen) (?:\w+ ){0,4}?"
    r"(?:enthalten|enthält|nennen|nennt|sagen|sagt|beantworten|beantwortet|erwähnen|erwähnt|geben) (?:\w+"
    r" ){0,5}?(?:kein\w*|nicht)"
    r"|\b(?:keine|nicht genug) (?:\w+ ){0,2}?(?:angaben?|informationen|antwort) "
    # French
    r"|\bje ne (?:le )?sais pas|\b(?:sources|passages|documents|extraits|textes) ne (?:\w+ ){0,3}?"
    r"(?:contiennent|mentionnent|disent|répondent|précisent|donnent|fournissent) pas|\baucune (?:information|réponse"
    r"|mention)"
    # Spanish, Italian, Portuguese
    r"|\bno (?:lo )?s[ée]\b(?=[.,!]|$)|\b(?:fuentes|pasajes|documentos|textos) no (?:\w+ ){0,2}?(?:contienen"
    r"|mencionan|dicen|responden|"
    r"proporcionan|incluyen|indican)|\bnon lo so\b|\b(?:fonti|passaggi|documenti|testi) non (?:\w+"
    r" ){0,2}?(?:contengono|menzionano|"
    r"dicono|rispondono|forniscono)|\b(?:eu )?n[ãa]o sei\b|\b(?:fontes|trechos|documentos|textos) n[ãa]o (?:\w+"
    r" ){0,2}?(?:cont[êe]m|"
    r"mencionam|dizem|respondem|fornecem)"
    # Dutch, Russian, Japanese, Chinese
    r"|\bik weet het niet|\bbronnen (?:\w+ ){0,3}?(?:bevatten|vermelden|noemen) (?:\w+ ){0,4}?(?:geen|niet)"
    r"|я не знаю|источник\w* не (?:содерж|упомина|указыва)"
    r"|わかりません|分かりません|記載(?:されて|が|は)?(?:い)?(?:ません|ない|ありません)"
    r"|我不知道|(?:没有|未)(?:提供|提到|包含|说明|提及)",
    re.IGNORECASE,
)
_BEGINNINGS = re.compile(
    r"(?:I\b|sorry|unfortunately|based on|according to|there (?:is|are|was) no|no\b|none|not\b|it is not|it's not|"
    r"this is not|(?:the|these|those|this|my|all|none of the|neither of the|your)? ?(?:\w+ )?"
    rf"{_THINGS}|the (?:answer|question|exact|specific)|ich|das|die|der|es|in den|keine|leider|aufgrund|laut|je|les"
    rf"|aucun|"
    r"d[ée]sol[ée]|malheureusement|lo siento|no |las?|los|el|non|le fonti|n[ãa]o|as|os|eu|ik|de bronnen|helaas|я|в |"
    r"источник|к сожалению|わか|分か|申し訳|提供|記載|我|没有|根据|抱歉|对不起)",
    re.IGNORECASE,
)
_UNDECIDED = 30  # characters, as many as the longest beginning has
_AROUND = " \t\r\n\"'`*_.“”-"


def declines(text: str) -> bool:
    """Whether a sentence says that the sources do not hold the answer."""
    return _DECLINES.search(" ".join(text.split())) is not None


def may_decline(beginning: str) -> bool:
    """Whether a sentence that begins so may turn out to decline; true as long as too little of it is known."""
    text = " ".join(beginning.lstrip(_AROUND).split())
    return len(text) < _UNDECIDED or _BEGINNINGS.match(text) is not None
