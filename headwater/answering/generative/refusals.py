"""When a reply is no answer.

Belongs here: telling that a model found no answer, and the refusal's text. Not here: questions without usable passages
(`headwater.answering.answerer.refuse`). Guarantee: a refusal cites nothing.
"""

import re

from headwater.answering.answerer import refusal_text
from headwater.answering.closest import document_name
from headwater.answering.evidence import Evidence
from headwater.answering.generative.prompting import NO_ANSWER

_AROUND = " \t\r\n\"'`*_.“”"  # what models put around a word that they were told to write
_NONE = re.compile(
    r"(?:passages?|documents?|contexts?|sources?|texts?|information|excerpts?) (?:[\w-]+ ){0,4}?"
    r"(?:do|does|did) ?n[o']t (?:[\w-]+ ){0,3}?"
    r"(?:contain|hold|mention|provide|include|say|state|answer|specify|give|cover|address|describe|have)"
    r"|\b(?:no|not any) (?:[\w-]+ ){0,3}?(?:information|mention|answer) (?:[\w-]+ ){0,6}?(?:in|about|on) "
    r"|(?:can ?not|can't|unable to|could not) (?:[\w-]+ ){0,2}?(?:answer|find|determine)"
    r"|(?:passagen|dokumente?n?|texte?|quellen?|abschnitte?) (?:\w+ ){0,3}?(?:enthalten|nennen|sagen|beantworten) "
    r"(?:\w+ ){0,4}?(?:kein|nicht)"
    r"|(?:passages|documents|extraits|textes) ne (?:\w+ ){0,2}?(?:contiennent|mentionnent|disent|répondent) pas"
    r"|(?:pasajes|documentos|textos) no (?:contienen|mencionan|dicen|responden)",
    re.IGNORECASE,
)
"""A reply in words of its own that the passages do not answer: in English, German, French and Spanish."""


def begins_refusal(text: str) -> bool | None:
    """Whether a reply that begins with a text is a refusal as the prompt asks for; None while it may become one."""
    said = text.lstrip(_AROUND).casefold()
    wanted = NO_ANSWER.casefold()
    if said.startswith(wanted):
        return True
    return None if wanted.startswith(said) else False


def says_nothing(text: str) -> bool:
    """Whether a reply without a marker says that the passages do not hold the answer."""
    return NO_ANSWER in text or _NONE.search(" ".join(text.split())) is not None


def refusal(evidence: Evidence) -> str:
    """What the reader is told: that the documents do not answer, and the passage that came closest, if there is one."""
    refused = refusal_text(evidence)
    if not evidence.passages:  # the model was given summaries alone
        return refused
    return f"{refused} The closest document is {document_name(evidence.passages[0])}."
