"""Detecting the language of a short text, by its script and its function words.

Belongs here: the scripts and words of the languages that full-text search supports, and a few more by script alone. Not
here: the use of the language. Guarantee: without evidence the result is empty.
"""

import re
from collections import Counter
from functools import lru_cache

from headwater.understanding.interrogatives import load_interrogatives

_SCRIPTS = (
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("zh", re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")),  # and Japanese, which has kana too
    ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("el", re.compile(r"[\u0370-\u03ff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
)
_LETTERS_OF_ONE = {
    "ru": ("uk", re.compile(r"[іїєґІЇЄҐ]")),
    "ar": ("fa", re.compile(r"[پچژگ]")),
    "zh": ("ja", re.compile(r"[\u3040-\u30ff]")),
}
"""For languages that share a script: one letter that the other lacks is enough."""
_LANGUAGES_BY_SCRIPT = {*dict(_SCRIPTS), *(language for language, _ in _LETTERS_OF_ONE.values())}
_ONLY_CHINESE = re.compile("[的了吗嗎呢吧么麼什怎哪谁誰这這那们們是在和与與为為给給从從个個会會]")
"""Words of one character by which a text is known not to be Japanese nouns."""
_LETTER = re.compile(r"[^\W\d_]")
_SHARE = 0.2
"""The share of letters that must be in the script; a German question may quote a Greek letter. One Chinese character is
a word, so less than half is enough."""

_SURE = 1.2
"""Votes that are needed; a single word of one language is one vote, and may be a name or a word of another language."""
_FUNCTION_WORDS = {
    "en": "the a an of to in is are was were what how why when where which who does do did can could should would i "
    "my you your it that this these with for from on and or not there be has have if about between as at by into so "
    "than then we us our me he she they them no any all some only after before without get don't also just up out off "
    "over same more most such both each other",
    "de": "der die das ein eine einen einem einer des dem den und oder nicht ist sind war wie was warum wann wo "
    "welche welcher welches wer kann können ich wir sie es mit für von zu auf im beim wird werden man gibt "
    "zwischen an so",
    "fr": "le la les un une des du de et ou est sont était que quoi quel quelle quels quelles comment pourquoi "
    "quand où qui je nous vous il elle avec pour dans sur ne pas peut puis au aux ce cette entre me chez d l n j qu "
    "c s m t ça cela",
    "es": "el la los las un una unos unas de del y o es son era qué cómo por qué cuándo dónde cuál cuáles quién yo "
    "con para en no puede puedo se su al lo hay entre como que está me",
    "it": "il lo la i gli le un uno una di del della dei delle e o è sono era che cosa come perché quando dove "
    "quale quali chi io con per in non può posso si al alla tra nel nella me l d dell nell",
    "pt": "o a os as um uma de do da dos das e ou é são era que como por quê porque quando onde qual quais quem eu "
    "com para em no na não pode posso se ao entre está há me",
    "nl": "de het een en of is zijn was wat hoe waarom wanneer waar welke wie kan kunnen ik we wij je u met voor "
    "van te op niet er wordt worden tussen bij aan dit deze me over",
    "sv": "en ett och eller är var vad hur varför när vilken vilka vilket vem kan jag vi du med för av till på inte "
    "det den som finns mellan om att har",
    "da": "en et og eller er var hvad hvordan hvorfor hvornår hvor hvilken hvilke hvem kan jeg vi du med for af til "
    "på ikke det den som findes mellem om at har",
    "no": "en et ei og eller er var hva hvordan hvorfor når hvor hvilken hvilke hvem kan jeg vi du med for av til "
    "på ikke det den som finnes mellom om at har",
    "fi": "ja tai on oli mikä mitä miten miksi milloin missä mihin kuka voi voin minä me se tämä kanssa ei ovat "
    "kuinka mitkä että kun jos välillä onko",
    "hu": "a az egy és vagy van volt mi mit hogyan miért mikor hol melyik ki lehet nem ez hogy kell között milyen "
    "mennyi tudok tudom ha is",
    "ro": "un o și sau este sunt era ce cum de ce când unde care cine pot poate eu cu pentru din la nu în pe între "
    "se al a ale cât",
    "tr": "bir ve veya mi mı mu mü ne nasıl neden niçin zaman nerede hangi kim için ile değil bu şu var yok olan "
    "arasında kadar nedir nelerdir",
    "id": "yang dan atau adalah apa bagaimana mengapa kapan di mana siapa dapat bisa saya kami dengan untuk dari ke "
    "tidak ini itu pada antara apakah cara",
}
_WORD = re.compile(r"[^\W\d_]+")  # French `n'ai` and Italian `dell'acqua` are two words
_LANGUAGES_OF: dict[str, list[str]] = {}
for _language in ("pl", *_FUNCTION_WORDS):
    for _word in {*_WORD.findall(_FUNCTION_WORDS.get(_language, "")), *load_interrogatives([_language])}:
        _LANGUAGES_OF.setdefault(_word, []).append(_language)


def detect_language(text: str) -> str:
    """Detect the language of a question or a text.

    Args:
        text: natural language, without code.

    Returns:
        Its ISO 639-1 code; empty without evidence: no function word, or equally many of another language.
    """
    return _by_script(text) or _by_function_words(text)


@lru_cache(maxsize=1 << 8)  # several steps of a search call this
def is_sure_of(text: str, language: str) -> bool:
    """Whether the language of a text is certain.

    It is certain if the script decides (a few Chinese characters may be Japanese, too), or if its function words get
    more than one vote and twice as many as those of any other language: `no` is a word in many languages.

    Args:
        text: natural language, without code.
        language: the result of `detect_language`.
    """
    if language == "zh":
        return _ONLY_CHINESE.search(text) is not None
    votes = _votes(text)
    other_votes = max((votes[other_language] for other_language in votes if other_language != language), default=0.0)
    if language == "pl" or language in _FUNCTION_WORDS:
        own_votes = votes[language]
        return bool(own_votes >= _SURE and own_votes >= 2 * other_votes)
    return language != ""


def function_words(language: str) -> frozenset[str]:
    """The function words that the language of a question is detected by; none of a language that its script tells."""
    return frozenset(word for word, languages in _LANGUAGES_OF.items() if language in languages)


def may_be_in(text: str, language: str) -> bool:
    """Whether a text may be in a language rather than in another: by its script, or by its function words.

    Of any three words of German, French and Spanish questions that are sure of no language, 94 to 100 % may be in their
    own, and 1 to 44 % in another of six; if only English could speak against it, 90 to 100 %. Of English questions,
    5 % may be in another language.

    Args:
        text: natural language, without code.
        language: an ISO 639-1 code.
    """
    script = _by_script(text)
    if script or language in _LANGUAGES_BY_SCRIPT:
        return language == script or (script == "zh" and language == "ja")  # Japanese nouns are written the same way
    languages_of_words = [_LANGUAGES_OF.get(word, ()) for word in _WORD.findall(text.casefold())]
    counts = Counter(code for codes in languages_of_words for code in codes)
    return counts[language] >= max(counts.values(), default=0)


def _by_script(text: str) -> str:
    letters = _LETTER.findall(text)
    for language, script in _SCRIPTS:
        if len(script.findall(text)) > _SHARE * len(letters):
            other_language, letter = _LETTERS_OF_ONE.get(language, ("", script))
            return other_language if other_language and letter.search(text) else language
    return ""


def _by_function_words(text: str) -> str:
    ranked = _votes(text).most_common(2)
    if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
        return ""
    return ranked[0][0]


def _votes(text: str) -> Counter[str]:
    """A word of only one language is one vote; a word of several gives each a share."""
    votes: Counter[str] = Counter()
    for match in _WORD.finditer(text.casefold()):
        languages = _LANGUAGES_OF.get(match.group(), [])
        for language in languages:
            votes[language] += 1 / len(languages)  # type: ignore[assignment]  # Counter of floats
    return votes
