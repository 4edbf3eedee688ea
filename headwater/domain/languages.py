"""The languages of texts: their codes, and the Postgres dictionary that stems them.

Belongs here: codes and names of languages, and their dictionaries. Not here: detecting the language of a text
(`headwater.parsing.language` of a document, `headwater.understanding.language_detector` of a question).
Guarantee: pure; the SQL function `stemming_language` knows the same languages and dictionaries; a test compares both.
"""

from functools import lru_cache

_LANGUAGES = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish",
    "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian",
    "id": "indonesian", "it": "italian", "lt": "lithuanian", "ne": "nepali", "nl": "dutch", "no": "norwegian",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil",
    "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
ALIASES = {"nb": "no", "nn": "no", "iw": "he", "in": "id", "ji": "yi"}
"""Obsolete codes, and the written forms of Norwegian."""
_OTHERS = {
    "bg": "Bulgarian", "cs": "Czech", "et": "Estonian", "fa": "Persian", "he": "Hebrew", "hr": "Croatian",
    "ja": "Japanese", "ko": "Korean", "lv": "Latvian", "pl": "Polish", "sk": "Slovak", "sl": "Slovenian", "th": "Thai",
    "uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
_NAMES = {name: code for code, name in _LANGUAGES.items()}
_SHORT = """
    aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo
    es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka
    kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng
    nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su
    sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
"""
_LONG = """
    aar:aa abk:ab afr:af aka:ak alb:sq amh:am ara:ar arb:ar arg:an arm:hy ava:av ave:ae aym:ay aze:az bak:ba bam:bm
    baq:eu bel:be ben:bn bis:bi bod:bo bos:bs bre:br bul:bg bur:my cat:ca ces:cs cha:ch che:ce chi:zh chu:cu chv:cv
    cmn:zh cor:kw cos:co cre:cr cym:cy cze:cs dan:da deu:de div:dv dut:nl dzo:dz ell:el eng:en epo:eo est:et eus:eu
    ewe:ee fao:fo fas:fa fij:fj fin:fi fra:fr fre:fr fry:fy ful:ff geo:ka ger:de gla:gd gle:ga glg:gl glv:gv gre:el
    grn:gn guj:gu hat:ht hau:ha heb:he her:hz hin:hi hmo:ho hrv:hr hun:hu hye:hy ibo:ig ice:is ido:io iii:ii iku:iu
    ile:ie ina:ia ind:id ipk:ik isl:is ita:it jav:jv jpn:ja kal:kl kan:kn kas:ks kat:ka kau:kr kaz:kk khm:km kik:ki
    kin:rw kir:ky kom:kv kon:kg kor:ko kua:kj kur:ku lao:lo lat:la lav:lv lim:li lin:ln lit:lt ltz:lb lub:lu lug:lg
    mac:mk mah:mh mal:ml mao:mi mar:mr may:ms mkd:mk mlg:mg mlt:mt mon:mn mri:mi msa:ms mya:my nau:na nav:nv nbl:nr
    nde:nd ndo:ng nep:ne nld:nl nno:no nob:no nor:no nya:ny oci:oc oji:oj ori:or orm:om oss:os pan:pa per:fa pes:fa
    pli:pi pol:pl por:pt pus:ps que:qu roh:rm ron:ro rum:ro run:rn rus:ru sag:sg san:sa sin:si slk:sk slo:sk slv:sl
    sme:se smo:sm sna:sn snd:sd som:so sot:st spa:es sqi:sq srd:sc srp:sr ssw:ss sun:su swa:sw swe:sv tah:ty tam:ta
    tat:tt tel:te tgk:tg tgl:tl tha:th tib:bo tir:ti ton:to tsn:tn tso:ts tuk:tk tur:tr twi:tw uig:ug ukr:uk urd:ur
    uzb:uz ven:ve vie:vi vol:vo wel:cy wln:wa wol:wo xho:xh yid:yi yor:yo zha:za zho:zh zul:zu
"""
# Languages without a short code that people use on the web. All 8,000 would include names of file types, such as
# `sql`, `php`, `xml` or `lua`.
_ONLY_LONG = """
    ace ang ary arz ast awa bar bho ceb chr ckb crh csb dsb enm fil frr fur gan gez got grc gsw hak haw hil hsb ilo
    inh kaa kab kbd kok krc krl lad lez lij lmo ltg mad mag mai mdf mhr min mni mwl myv nan nap nds nqo nso pag pam
    pap pcd pnb rue sah sat scn sco sma smj smn sms srn stq szl tet tpi tum tyv udm vec vep vls vro war wuu xal yue
    zea zza
"""
CODES = frozenset(f"{_SHORT} {_ONLY_LONG}".split())
"""Every code of a language that is accepted: those of ISO 639-1, and some of ISO 639-2 and 639-3."""
LONG = dict(pair.split(":") for pair in _LONG.split())
"""The ISO 639-2 codes of languages that have a short one. `asm` is missing: such texts are in assembly language."""

UNSTEMMED = "simple"
"""The dictionary without stems and stop words, for languages without a dictionary in Postgres."""
STEMMED = frozenset(_LANGUAGES.values())
"""The dictionaries of Postgres 16."""


@lru_cache(maxsize=1 << 10)  # called for every passage of every search
def language_code(tag: str) -> str:
    """Return the ISO 639 code of a language, such as `de` for `de-AT`, `DE_de`, `deu` or `German`.

    Empty if the tag is not a human language, such as `python`, `sql` or `und`: it counts as not given.
    """
    code = tag.strip().lower().replace("_", "-").partition("-")[0]
    code = _NAMES.get(code) or LONG.get(code, code)
    code = ALIASES.get(code, code)
    return code if code in CODES else ""


def stemming_language(tag: str, fallback: str) -> str:
    """Return the dictionary that stems a text, as the SQL function `stemming_language` does.

    Args:
        tag: the text's language; empty if unknown.
        fallback: the knowledge base's language. If it is `simple`, nothing is stemmed.
    """
    code = language_code(tag)
    if not code or fallback == UNSTEMMED:
        return fallback
    return _LANGUAGES.get(code, UNSTEMMED)


def language_name(tag: str) -> str:
    """The English name of a language; its code if the name is not known here."""
    code = language_code(tag)
    return _OTHERS.get(code) or _LANGUAGES.get(code, code).capitalize()
