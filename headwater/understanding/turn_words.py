"""The words by which a turn of a conversation joins those before it, language by language (RET-4).

Belongs here: every word list and pattern that `follow_ups` needs, under the code of its language. Not here: the rules.
Guarantee: pure; a language without a list of its own has that of all languages together, so no rule is ever without
words.

A list holds alternatives of a regular expression, in lower case; those that refer to something may look around.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

_NEVER = r"(?!)"
_UNSPACED = "zh", "ja"


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnWords:
    """What a language says in turns that follow others; each pattern is complete, and matches nothing if empty.

    `joins` begin a turn and say nothing (`and`, `okay, but`), `changes` begin another subject (`other than that`),
    `about` asks the same of something else (`what about`). `refers` means something that was spoken of (`it`, `the
    other one`); in `expletive` the same words mean nothing. `clause` begins a part of a sentence, whose pronouns may
    mean what stands before it. `places` come before what may be replaced (`on`, `with`). `asks` is in a whole question,
    `defines` begins one that stands alone, `noun` one that asks when, where or how much its `noun` is. `doing` has the
    verb of a question. `relational` are words of something: alone they name no subject (`limit`, `default`).
    `condition` begins a case of what was asked (`if it fails`). `is_english` says whether these may be English words.
    """

    joins: re.Pattern[str]
    changes: re.Pattern[str]
    about: re.Pattern[str]
    refers: re.Pattern[str]
    expletive: re.Pattern[str]
    clause: re.Pattern[str]
    asks: re.Pattern[str]
    defines: re.Pattern[str]
    noun: re.Pattern[str]
    doing: re.Pattern[str]
    places: str
    relational: frozenset[str]
    condition: re.Pattern[str]
    is_english: bool


_EN = {
    "joins": (
        r"ok(?:ay)?|thanks?(?: (?:a lot|so much|you))?|thank you|great|cool|perfect|i see|got it|alright"
        r"|all right|right"
        r"|yes|no|hm+|well|and|but|or|so|also|then|now"
    ),
    "changes": (
        r"(?:other|apart|aside) (?:than|from) th(?:at|is|ose|ese)|besides(?: that)?"
        r"|(?:on )?(?:an)?other (?:topic|subject|"
        r"note|thing|question|matter)|(?:a )?(?:new|different|separate|unrelated|quick other"
        r"|totally different) (?:topic|"
        r"subject|question|thing|matter)|(?:to )?chang(?:e|ing) (?:of |the )?(?:subject|topic)|by the way"
        r"|btw|unrelated(?: "
        r"question)?|something (?:else|different)|moving on|next question|one more thing"
    ),
    "about": r"(?:what|how) about|what if|(?:the )?same (?:for|with|on|in)",
    "refers": (
        r"it|its|they|them|their|theirs|he|she|him|his|her|these|those|this|such|former|latter"
        r"|(?:(?:do|does|is|did|can|will|would|should|was|of|for|with|from|to|about|after|before|than|like"
        r"|by|into|without"
        r"|change|need|mean|test|try|use|undo|avoid|skip|run|see|get|set|all|once|if|when|while) that)(?! \w+ing\b)"
        r"|that(?:'s|\s+(?:one|first))?(?=\s*(?:[?.!,;]|$|first|too|also|as well|automatically|later|again))|does that"
        r"|(?:which|other|another|same|first|second|third|last|previous) (?:ones?|way|method|option|step"
        r"|command|approach)"
        r"|\w+ ones?(?=\s*(?:[?.!,;]|$))|(?:in|of|for|only|with|and) the ones"
        r"|(?:better|easier|faster|simpler|safer|cheaper) (?:way|method|option|solution)s?(?! (?:to|of|for)\b)"
        r"|(?:some|any)thing (?:less|more|better|easier|faster|simpler|safer|cheaper)(?!.* than )"
        r"|(?:first|afterwards?|then|anymore)(?=\s*(?:[?.!,;]|$))"
        r"|(?:from|in|over) there|instead(?! of)|otherwise|else|the same|again|differently"
    ),
    "expletive": (
        r"(?:is|was|isn't) it (?:possible|safe|ok(?:ay)?|necessary|worth|better|best|true|recommended|allowed|required|"
        r"enough|normal)|(?:does|will|would) it (?:make sense|matter|take .{0,40}\bto)|it is (?:possible"
        r"|safe|necessary)"
        r"|(?:if|when) it comes to|(?:those|these|they|them) (?:who|that|which)"
        r"|(?:in|of|for|with) this (?:knowledge base|documentation|project|product|library)"
    ),
    "clause": r"and|or|but|if|when|while|before|after|because|so that|once|until|without|that|which|who|where",
    "asks": (
        r"who|whom|whose|what|when|where|why|which|how|is|are|was|were|do|does|did|can|could|should|will|would|must|may"
        r"|has|have|had"
    ),
    "defines": r"(?:what|who)(?:'s| is| are| was)(?: an?)? (?!the\b)|(?:define|list|explain|describe)\b",
    "noun": (
        r"(?:when|where|why|who|how (?:much|long|often|big|far|old|expensive))(?:'s| is| are| was| were) "
        r"(?:(?:the|my|our|your) )?"
    ),
    "condition": (
        r"(?:if|once|unless|when)(?! (?:is|are|was|were|do|does|did|can|could|will|would|should"
        r"|must|may|has)\b)"
    ),
    "doing": (
        r"(?:how (?:do|can|should|would|could|must)(?: (?:i|we|you|one|people|users))|how to|"
        r"(?:can|could|may|should|must) (?:i|we|you|one))(?: (?:also|then|now|safely|best|just))?"
    ),
    "places": (
        r"on|in|for|with|without|to|from|using|by|at|during|under|via|inside|behind|outside|through|as|per"
        r"|between|against"
    ),
    "relational": (
        "default limit limits maximum minimum value values cost costs price size name command commands option options "
        "example examples difference differences advantage advantages disadvantages drawback drawbacks requirement "
        "requirements prerequisite prerequisites alternative alternatives step steps next version versions deadline "
        "exception exceptions details more work works happen happens happened mean means different else other possible "
        "reason reasons result syntax purpose benefit benefits risk risks there longer faster explain "
        "elaborate continue "
        "long take takes show give tell needed required supported available allowed advance decision decide decides"
    ),
}
_DE = {
    "joins": r"ok(?:ay)?|danke|gut|super|ja|nein|und|oder|aber|also|dann|jetzt",
    "changes": (
        r"(?:davon )?abgesehen(?: davon)?|ansonsten|außerdem|(?:ein )?anderes thema"
        r"|(?:eine )?andere frage|themenwechsel"
        r"|übrigens|noch eine (?:andere )?frage|etwas anderes"
    ),
    "about": r"wie sieht es mit|was ist mit|wie ist es (?:mit|bei)",
    "refers": (
        r"davon|damit|dafür|dazu|dabei|darin|dagegen|danach|es|ihn|ihm|ihnen|diese[rnsm]?|dieses|das(?=\s*[?.!]*$)"
        r"|(?:geht|ist|macht|kostet|dauert|heißt) das|das (?:auch|wieder|selbe|gleiche)"
    ),
    "expletive": r"(?:ist|wäre|geht) es (?:möglich|erlaubt|nötig|sinnvoll)|gibt es|es gibt",
    "condition": r"(?:wenn|falls|sobald)",
    "clause": r"und|oder|aber|wenn|falls|nachdem|bevor|weil|dass|ob",
    "asks": r"wie|was|wer|wann|wo|warum|welche[rsnm]?|kann|muss|soll|darf|ist|sind|gibt",
    "defines": r"was (?:ist|sind) (?:ein|eine)?\b",
    "places": r"auf|in|im|für|mit|ohne|von|bei|unter|über|per|zwischen|gegen|aus",
    "relational": "standard grenze kosten preis beispiel beispiele schritt schritte frist ausnahme lange dauert nötig",
}
_FR = {
    "joins": r"ok|merci|d'accord|bien|oui|non|et|mais|ou|alors|donc",
    "changes": r"à part (?:ça|cela)|autre (?:sujet|question|chose)|sinon|au fait|par ailleurs",
    "about": r"et pour|qu'en est-il (?:de|du|des|pour)",
    "refers": r"celui-ci|celle-ci|cela|ça|ceci|le même|la même|il|elle|ils|elles|leur",
    "condition": r"si|quand (?:on|je|il|elle)",
    "clause": r"et|ou|mais|si|quand|avant|après|parce que|que|qui",
    "asks": r"comment|pourquoi|quand|où|qui|quel(?:le)?s?|combien|peut|est-ce",
    "places": r"sur|dans|pour|avec|sans|de|chez|sous|par|entre|contre",
    "relational": "défaut limite limites coût prix exemple exemples étape étapes délai exception long durée",
}
_ES = {
    "joins": r"ok|gracias|vale|bien|sí|no|y|e|pero|o|entonces",
    "changes": r"aparte de eso|otro tema|otra (?:pregunta|cosa)|por cierto|cambiando de tema",
    "about": r"qué pasa con|y (?:para|con|en)",
    "refers": r"eso|esto|ese|esa|este|esta|lo mismo|él|ella|ellos|ellas|lo(?=\s*[?.!]*$)",
    "condition": r"si|cuando (?:no|se)",
    "clause": r"y|o|pero|si|cuando|antes|después|porque|que|quien",
    "asks": r"cómo|cuándo|dónde|quién|qué|cuál|cuánto|puedo|puede|hay",
    "places": r"en|para|con|sin|de|desde|por|entre|contra|bajo",
    "relational": "límite límites coste precio ejemplo ejemplos paso pasos plazo excepción tiempo",
}
_IT = {
    "joins": r"ok|grazie|bene|sì|no|e|ma|o|allora",
    "changes": (
        r"a parte (?:questo|ciò)|altro (?:argomento|tema)|altra (?:domanda|cosa)|a proposito"
        r"|cambiando argomento"
    ),
    "about": r"e per|e con|che ne dici di",
    "refers": r"questo|quello|questa|quella|lo stesso|esso|essi",
    "asks": r"come|quando|dove|chi|che|quale|quanto|posso|può",
    "places": r"su|in|per|con|senza|da|di|tra|contro|sotto",
    "relational": "limite limiti costo prezzo esempio esempi passo passi scadenza eccezione",
}
_NORDIC = {"joins": r"ok|tack|tak|takk|en|och|og|men|eller"}
_RU = {
    "joins": r"ок|спасибо|хорошо|да|нет|а|и|но|или",
    "changes": r"кроме (?:того|этого)|другой вопрос|другая тема|кстати",
    "about": r"а как насчёт|как насчёт|а что с",
    "refers": r"это|этого|этому|этим|он|она|оно|они|его|её|их|такой же",
    "asks": r"как|когда|где|кто|что|какой|какая|сколько|можно|почему",
    "places": r"на|в|для|с|без|из|от|под|через|между|против",
}
_ZH = {
    "joins": r"好的|谢谢|那么|那|而且",
    "changes": r"除此之外|另外|换个话题|另一个问题|顺便问一下",
    "about": r".*呢(?=[?？]?$)",
    "refers": r"它|这个|那个|他们|它们|这些|那些",
}
_JA = {
    "joins": r"はい|ありがとう(?:ございます)?|では|じゃあ|そして|でも",
    "changes": r"それ以外(?:に|で|は)?|別の(?:話題|質問)(?:ですが)?|ところで|話は変わりますが",
    "about": r".*(?:は|なら)(?=[?？]$)",
    "refers": r"それ|これ|あれ|その|この",
}
_BY_LANGUAGE: Mapping[str, Mapping[str, str]] = {
    "en": _EN,
    "de": _DE,
    "fr": _FR,
    "es": _ES,
    "it": _IT,
    "sv": _NORDIC,
    "da": _NORDIC,
    "no": _NORDIC,
    "ru": _RU,
    "zh": _ZH,
    "ja": _JA,
}


@cache
def turn_words(language: str = "") -> TurnWords:
    """The words of a language; of all languages together if it is unknown or has no list.

    Args:
        language: an ISO 639-1 code; empty if unknown.
    """
    language_words = _BY_LANGUAGE.get(language)
    lists = [language_words] if language_words else list(_BY_LANGUAGE.values())

    def listed(name: str) -> str:
        return "|".join(dict.fromkeys(word_list[name] for word_list in lists if name in word_list)) or _NEVER

    return TurnWords(
        joins=_compile(rf"^(?:(?:{listed('joins')})(?!\w)[,.!… ]*)+", is_unspaced=language in _UNSPACED),
        changes=_compile(rf"^(?:{listed('changes')})(?!\w)[,.:;!–— -]*"),
        about=_compile(rf"^(?:{listed('about')})(?!\w)"),
        refers=_compile(rf"(?<!\w)(?:{listed('refers')})(?!\w)", is_unspaced=language in _UNSPACED),
        expletive=_compile(rf"\b(?:{listed('expletive')})\b"),
        clause=_compile(rf"[,;:]|\b(?:{listed('clause')})\b"),
        asks=_compile(rf"\b(?:{listed('asks')})\b"),
        defines=_compile(rf"^(?:{listed('defines')})"),
        noun=_compile(rf"^(?:{listed('noun')})(?P<noun>[^\W\d_]{{3,}})\s*[?.!]*$"),
        doing=_compile(rf"\b(?:{listed('doing')}) (?P<verb>[a-z]+)\b"),
        places=listed("places"),
        relational=frozenset(" ".join(word_list.get("relational", "") for word_list in lists).split()),
        condition=_compile(rf"^(?:{listed('condition')})(?!\w)[^,]*$"),
        is_english=language_words in (None, _EN),
    )


def _compile(pattern: str, *, is_unspaced: bool = False) -> re.Pattern[str]:
    """A pattern in any case; in a script without spaces, words have no borders to look for."""
    plain = pattern.replace(r"(?!\w)", "").replace(r"(?<!\w)", "") if is_unspaced else pattern
    return re.compile(plain, re.IGNORECASE)
