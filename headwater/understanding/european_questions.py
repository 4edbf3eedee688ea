"""How German, French, Spanish, Italian, Portuguese and Dutch ask what there is, how many, and what differs or changed.

Belongs here: wordings of these languages for modules that know what is done with a question of such a kind
(`inventory`, `change_questions`, `sub_questions`). Not here: English, and what is about everything (`breadth`).
Guarantee: pure; these are regular expressions for a question in one line without the marks at its end, to be matched
without regard to case.
"""

from typing import NamedTuple

from headwater.understanding.versions_and_dates import DOTTED_NUMBERS, NUMBERS, NUMERIC_DATE

_ARTICLE = (
    r"(?:(?:de[rmns]?|die|das|eine?[mnrs]?|les?|la|une?|el|l[oa]s|una|uno|il|lo|i|gli|os?|as?|uma?|het|een) "
    r"|(?:l|un)['’])?"
)
_BETWEEN = (  # what stands before two things, and between them
    (r"(?:was (?:ist|sind) )?(?:de[rn] |die )?(?:unterschiede?|vergleich)(?: besteht)? zwischen", "und"),
    (r"welche[rn]? unterschiede? (?:gibt es|besteh(?:t|en)) zwischen", "und"),
    (r"(?:quelles? (?:est |sont )?)?(?:la |les |une )?(?:différences?|comparaison)(?: qu'il y a)? entre", "et"),
    (r"quelles? différences? (?:y a-t-il|existe-t-il) entre", "et"),
    (r"¿?(?:cuál(?:es)? (?:es|son) |qué )?(?:la |las )?(?:diferencias?|comparación)(?: hay| existen?)? entre", "y"),
    (r"(?:qual è |quali sono |che )?(?:la |le |un )?(?:differenz[ae]|confronto)(?: c'è| ci sono)? (?:tra|fra)", "e"),
    (r"(?:qual é |quais são |que )?(?:a |as |uma )?(?:diferenças?|comparação)(?: há| existem?)? entre", "e"),
    (r"(?:wat (?:is|zijn) )?(?:het |de |een )?(?:verschil(?:len)?|vergelijking)(?: is er| zijn er)? tussen", "en"),
)
_FIRST, _SECOND = (rf"{_ARTICLE}(?P<{name}>[^?,;.]{{2,80}}?)" for name in ("one", "other"))
COMPARED_EU = tuple(rf"^{between} {_FIRST}\s+{conjunction}\s+{_SECOND}" for between, conjunction in _BETWEEN)
"""Two things of which the difference is asked for; what follows the second is added by who uses them."""
_THING = r"(?P<subject>.{2,80}?)"
_NO_REST = r"(?P<rest>)"
_REST = r"(?P<rest>.{0,40})"
_SHOW_DE = r"(?:(?:gib|zeig|nenn|list)e? (?:mir )?)"
_SHOW_FR = r"(?:(?:donne|montre|fais)(?:[rz]|-moi)? )"
_OF_DE = r"(?:der|aller|von) "
_OF_FR = r"(?:de tou(?:te)?s les |des |de l'|de la |de |d')"
_OF_ES = r"(?:de tod[oa]s l[oa]s |de l[oa]s |de la |del |de )"
_EXIST_DE = r"(?:gibt es|existieren|(?:sind|stehen) (?:verfügbar|vorhanden|zur verfügung))"
_EXIST_FR = r"(?:y a-t-il|existe(?:nt|-t-il)|sont (?:disponibles|proposée?s|possibles))"
LISTED_EU = (
    rf"^(?:welche|was für) {_THING} {_EXIST_DE}(?: hier)?{_REST}$",
    rf"^{_SHOW_DE}?(?:die |eine )?(?:vollständige )?(?:liste|übersicht) {_OF_DE}{_THING}{_NO_REST}$",
    rf"^{_SHOW_DE}alle {_THING}(?: auf)?{_NO_REST}$",
    rf"^quel(?:le)?s sont (?:tou(?:te)?s )?(?:les|nos|vos) {_THING}{_NO_REST}$",
    rf"^quel(?:le)?s {_THING} {_EXIST_FR}{_REST}$",
    rf"^{_SHOW_FR}?(?:la |une )?liste (?:complète )?{_OF_FR}{_THING}{_NO_REST}$",
    rf"^(?:liste|énumère|cite)(?:[rz]|-moi)? (?:tou(?:te)?s )?les {_THING}{_NO_REST}$",
    rf"^¿?qué {_THING} (?:hay|existen|están disponibles){_REST}$",
    rf"^¿?cuáles son (?:tod[oa]s )?l[oa]s {_THING}{_NO_REST}$",
    rf"^(?:(?:dame|muéstrame) )?(?:la |una )?lista (?:completa )?{_OF_ES}{_THING}{_NO_REST}$",
    rf"^qual[ie] sono (?:tutt[ie] )?(?:i|gli|le) {_THING}{_NO_REST}$",
    rf"^qual[ie] {_THING} (?:ci sono|esistono|sono disponibili){_REST}$",
    rf"^quais são (?:tod[oa]s )?(?:os|as) {_THING}{_NO_REST}$",
    rf"^quais {_THING} (?:existem|há|estão disponíveis){_REST}$",
    rf"^welke {_THING} (?:zijn er|bestaan er|zijn beschikbaar){_REST}$",
)
"""The members of a family are asked for."""
COUNTED_EU = (
    rf"^wie viele {_THING} {_EXIST_DE}{_REST}$",
    rf"^combien (?:y a-t-il )?(?:de |d'){_THING}(?: y a-t-il| existent| existe-t-il)?{_NO_REST}$",
    rf"^¿?cuánt[oa]s {_THING} (?:hay|existen){_REST}$",
    rf"^quant[ie] {_THING} (?:ci sono|esistono){_REST}$",
    rf"^quant[oa]s {_THING} (?:há|existem){_REST}$",
    rf"^hoeveel {_THING} (?:zijn er|bestaan er){_REST}$",
)
"""Their number is asked for."""
_VERSION_WORD = r"(?:(?:die|der|de|la|a|da) )?(?:version|versión|versione|versão|versie|ausgabe|release)"
_VERSION = rf"(?:{_VERSION_WORD} v?{NUMBERS}|v?{DOTTED_NUMBERS}|v\d{{1,4}})"
_DAY = r"(?:(?:dem|den|le|el|il|de|o) )?\d{1,2}(?:er|º|\.)? (?:de )?"
_DATE = rf"(?:(?:{_DAY})?[^\W\d_]{{3,10}}\.? (?:del? )?(?:19|20)\d\d|{NUMERIC_DATE})"


class _ChangeWords(NamedTuple):
    """How a language asks what changed: words that ask and words for a change, prepositions, the latest version."""

    asking: str
    change: str
    since: str
    within: str
    latest: str


_CHANGE_WORDS = (
    _ChangeWords(
        asking=r"was|welche[rsnm]?",
        change=r"geändert|verändert|neu|neues|neuerungen|neuigkeiten|hinzugekommen|änderungen",
        since=r"seit",
        within=r"in|mit",
        latest=r"(?:der )?(?:letzten|neuesten|aktuellen) (?:version|ausgabe)",
    ),
    _ChangeWords(
        asking=r"qu['’]est-ce qui|quoi|quel(?:le)?s|que",
        change=r"changé|de neuf|de nouveau|nouveautés|changements|modifications|ajouté|modifié",
        since=r"depuis",
        within=r"dans|avec|de|en",
        latest=r"(?:la )?(?:dernière version|version actuelle)",
    ),
    _ChangeWords(
        asking=r"¿?(?:qué|cuáles)",
        change=r"cambiado|cambió|cambios|de nuevo|novedades|añadido",
        since=r"desde",
        within=r"en|con|de",
        latest=r"(?:la )?(?:última versión|versión actual)",
    ),
    _ChangeWords(
        asking=r"(?:che )?cosa|quali|che",
        change=r"cambiato|di nuovo|novità|modifiche|cambiamenti|aggiunto",
        since=r"da|dal|dalla|dall['’]",
        within=r"in|nella|nell['’]|della|dell['’]|con",
        latest=r"(?:la )?(?:ultima versione|versione attuale)",
    ),
    _ChangeWords(
        asking=r"o que|quais",
        change=r"mudou|mudanças|de novo|novidades|alterações|adicionado",
        since=r"desde",
        within=r"em|na|no|da|com",
        latest=r"(?:a )?(?:última versão|versão atual)",
    ),
    _ChangeWords(
        asking=r"wat|welke",
        change=r"veranderd|gewijzigd|nieuw|nieuws|wijzigingen|veranderingen|toegevoegd",
        since=r"sinds",
        within=r"in|met",
        latest=r"(?:de )?(?:laatste|nieuwste|huidige) versie",
    ),
)
_BLANK = r"(?:(?<=['’])|\s)"
_UP_TO_FOUR_WORDS = r"(?: [^\W\d]+){0,4}?"
CHANGED_EU = tuple(
    rf"^(?:{words.asking})\b.{{0,40}}?\b{order}$"
    for words in _CHANGE_WORDS
    for scope in (
        rf"(?:{words.within}){_BLANK}?(?P<latest>{words.latest})(?: (?:von|de|del|di|van|do|da) .{{1,20}})?",
        rf"(?:{words.since}){_BLANK}(?P<since>{_DATE}|{_VERSION})",
        rf"(?:{words.within}){_BLANK}(?P<name>{_VERSION})",
    )
    for order in (
        rf"(?:{words.change})\b{_UP_TO_FOUR_WORDS} {scope}",
        rf"{scope} (?:[^\W\d_]+ )?(?:{words.change})(?: [^\W\d_]+)?",
    )
)
"""What changed is asked for, since or in a version, since a date, or in the latest version."""
UNSAID_EU = (
    "verfügbaren vorhandenen möglichen verschiedenen wichtigsten disponibles possibles différents différentes "
    "principaux principales existants ici posibles diferentes aquí disponibili possibili diversi diverse principali "
    "qui possíveis disponíveis principais aqui beschikbare mogelijke verschillende belangrijkste"
)
"""Words beside those that name what is asked for; no family of documents is called so."""
DENYING_EU = {"de": "nicht", "fr": "ne pas", "es": "no", "it": "non", "pt": "não", "nl": "niet"}
"""Function words of each language that change what is asked for: tools that are not there are none of those there."""
