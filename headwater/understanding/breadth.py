"""Whether a question asks for the whole of something, by its wording (SUM-4).

Belongs here: overviews, topics, `what is this about`, comparisons of two whole things. Not here: finding the summaries
that answer it (`headwater.retrieval.broad_summaries`). Guarantee: pure; a question that asks for one fact is not broad.
"""

import re
from dataclasses import dataclass

from headwater.understanding.intents import bare_question
from headwater.understanding.japanese_questions import EXISTING_JA, IS_JA, MANY_JA, PLEASE_JA, TOLD_JA
from headwater.understanding.sub_questions import whole_sides
from headwater.understanding.words import content_words

_HERE = (
    r"(?:this|these|it|here|there|everything|(?:all |all of )?(?:the|these|this|your|our|those) "
    r"(?:whole |entire |available |uploaded )?"
    r"(?:docs?|documents?|documentation|files?|pages?|sources?|knowledge ?base|kb|collection|corpus|content|contents|"
    r"material|library|data|handbook|manual|guide|wiki|site|website|book|project|help|articles?))"
)
_TEXTS_DE = r"(?:dokument(?:en|e|ation)?|texte?n?|unterlagen|seiten?|website|sammlung|handbuch|buch|hilfe|wissensbasis)"
_HERE_DE = rf"(?:(?:in |auf |über )?(?:die|das|den|dem|der|dies(?:e[rnsm]?)?) {_TEXTS_DE})"
_TEXTS_FR = (
    r"(?:documents?|documentation|textes?|pages?|sites?|livre|manuel|guide|aide|collection|base(?: de connaissances)?)"
)
_HERE_FR = rf"(?:(?:ce|cet|cette|ces|le|la|les) {_TEXTS_FR})"
_TEXTS_ES = r"(?:documentos?|documentación|textos?|sitio|páginas?|libro|manual|guía|base(?: de conocimientos?)?)"
_HERE_ES = rf"(?:esto|aquí|(?:est[eao]s?|los|las|el|la) {_TEXTS_ES})"
_TEXTS_ZH = r"(?:知识库|文档|文件|资料|网站|内容)"
_HERE_ZH = rf"(?:(?:这里|这)?(?:个|些)?{_TEXTS_ZH}?(?:里面?|中)?)"
_TEXTS_JA = (
    r"(?:本|文書|資料|記事|サイト|ページ|ドキュメント|マニュアル|ナレッジベース|プロジェクト|ウィキ|wiki|ノート)"
)
_THIS_JA = rf"(?:これ|ここ|(?:この|これらの){_TEXTS_JA}(?:全体)?)"
_HERE_JA = rf"{_THIS_JA}(?:には|では|は|に|で)、?"
_SAID_JA = (
    r"(?:(?:書かれてい|書いてあ|載ってい|述べてい|説明してい|扱ってい|まとめてい|わか|分か|あ)(?:る|ります|ます|り)|の)?"
    rf"(?:の)?(?:もの|{_TEXTS_JA})?{IS_JA}"
)
_OUTLINE_JA = r"(?:概要|要約|要点|あらまし|全体像)"
_TOPIC_JA = r"(?:情報|内容|話題|テーマ|トピック)"
_GIST_JA = rf"(?:主な)?(?:{_TOPIC_JA}|{_OUTLINE_JA})"
_WHICH_JA = r"(?:どんな|どのような|何の)"
_KIND = r"(?:(?:very |really )?(?:brief|short|quick|rough|high-level|general|concise|broad|complete|full|one-line) )*"
_SHOWN = rf"(?:give|show|write|provide|offer|make|prepare) (?:me |us )?(?:an? |the )?{_KIND}"
_NOUN = r"(?:overview|summary|outline|synopsis|digest|rundown|gist|introduction)"
_TOPICS = (
    r"(?:topics?|subjects?|themes?|areas?|kinds? of (?:things|topics|documents|information)|information|documents?)"
)
_MAIN = r"(?:main |key |major |central |most important |general )*"
_COVERED = (
    r"(?:cover(?:ed|s)?|contain(?:ed|s)?|discuss(?:ed|es)?|deal with|treat(?:ed|s)?|includ(?:ed|es?)|"
    r"describ(?:ed|es?)|address(?:ed|es)?)"
)
_ALL = r"(?:all |mostly |mainly |actually |generally )*"
_WHOLE = tuple(
    re.compile(rule, re.IGNORECASE)
    for rule in (
        rf"^what(?:'s| is| are) {_HERE} {_ALL}(?:about|for)$",
        rf"^what {_HERE} (?:is|are) {_ALL}about$",
        r"^what(?:'s| is) (?:all )?(?:this|it)$",
        r"^what does (?:it|this|this (?:project|tool|software|app|program)) do$",
        rf"^what(?:'s| is| are) (?:in|inside|covered (?:in|by)) {_HERE}$",
        rf"^(?:what|which) {_MAIN}{_TOPICS} (?:does|do|are|is|can) (?:{_HERE} )?{_COVERED}(?: (?:in|by) {_HERE})?$",
        # "Which themes are there?" may mean those of an editor.
        rf"^(?:what|which) (?!themes? are there$){_MAIN}{_TOPICS} (?:are|is) (?:in |available in |part of )?{_HERE}$",
        rf"^what are (?:the )?{_MAIN}{_TOPICS}(?: (?:(?:{_COVERED} )?(?:in|of|by)) {_HERE})?$",
        rf"^what (?:does|do) {_HERE} {_ALL}{_COVERED}$",
        rf"^what (?:can|could|may) (?:i|we|you|one|people) (?:do|use) (?:with |in |from )?{_HERE}(?: for)?$",
        rf"^what (?:is|are) {_HERE} (?:good|useful|used|there) for$",
        rf"^what can (?:i|we|you) (?:find|learn|read|ask|look up)(?: about)?(?: (?:in|from) {_HERE})?(?: here)?$",
        rf"^{_SHOWN}{_NOUN}(?: (?:of|about|to|on) {_HERE})?$",
        rf"^(?:an? |the )?{_KIND}{_NOUN}(?: (?:of|about) {_HERE})?$",
        rf"^(?:briefly )?(?:summari[sz]e|sum up|outline) {_HERE}(?: briefly| for me)?$",
        rf"^(?:tell|inform) (?:me|us) (?:what )?(?:about )?{_HERE}(?: (?:is|are) about)?$",
        rf"^(?:worum (?:geht|handelt) es(?: sich)?|wovon handel(?:t|n))(?: hier| das| {_HERE_DE})?(?: hier)?$",
        r"^was (?:ist das|steht) hier$",
        r"^(?:gib mir |zeig mir )?(?:einen?|eine)? ?(?:überblick|zusammenfassung)(?: über (?:alles|die dokumente))?$",
        rf"^de quoi (?:s'agit-il|(?:cela |ça )?(?:parle|traite)(?:nt)?(?:-t-(?:on|il))?)(?: {_HERE_FR})?(?: ici)?$",
        rf"^que contien(?:nen)?t {_HERE_FR}$|^donne-moi un aperçu$",
        rf"^¿?(?:de|sobre) qué tratan?(?: {_HERE_ES})?$|^dame un resumen(?: de todo)?$",
        rf"^{_HERE_ZH}(?:主要)?是?(?:关于|讲|说|介绍)(?:的是)?什么的?(?:内容)?$|^{_HERE_ZH}有(?:什么|哪些)(?:内容|文档)$",
        rf"^(?:这|这里|(?:这|本)(?:个|些)?(?:{_TEXTS_ZH}|项目))是(?:什么|做什么的|干什么的)$",
        r"^(?:请)?(?:给我)?(?:一个)?(?:概述|总结|摘要|概览)(?:一下)?$|^(?:概要|要約)(?:を教えてください|をください)?$",
        r"^(?:すべて|全部|全体)要約(?:してください|して)?$",
        rf"^{_HERE_JA}(?:主に)?(?:何|どんなこと)(?:について|に関する|のこと|が|を){_SAID_JA}$",
        rf"^{_HERE_JA}(?:主に)?{_WHICH_JA}(?:{_TOPIC_JA}|こと|もの|{_TEXTS_JA})(?:が|を|について)?{_SAID_JA}$",
        rf"^{_WHICH_JA}{_TOPIC_JA}(?:が|を|について)?{_SAID_JA}$",
        r"^何(?:が|について)(?:書かれてい|書いてあ|載ってい)(?:る|ります|ます)(?:の|んです)?か?$",
        rf"^(?:(?:{_THIS_JA}|全体)(?:の|で扱(?:っている|う)))?{_GIST_JA}(?:[をはが]?{TOLD_JA}|(?:は|って)?何?{IS_JA})$",
        rf"^(?:この|これらの){_TEXTS_JA}(?:は|って|とは)何{IS_JA}$|^{_THIS_JA}について{TOLD_JA}$",
        rf"^(?:{_HERE_JA})?{_TEXTS_JA}(?:は|が)?(?:全部で)?{MANY_JA}(?:{EXISTING_JA}|{IS_JA})$",
    )
)
_WORK = (
    r"(?:documents?|documentation|docs?|guides?|handbook|manual|pages?|book|report|library|readme|tutorials?|source)"
)
_ASKED_ZH = r"怎么|如何|什么|哪|吗|多少|为何|谁"  # words of questions, so that 总结 is the noun
_PAGE_DE = r"(?:(?:die|das|den|der|dem) )?(?:(?:seite|dokument|kapitel|artikel|anleitung) )?"
_PAGE_FR = r"(?:(?:page|document|chapitre|article|guide) )?"
_PAGE_ES = r"(?:(?:página|documento|capítulo|artículo|guía) )?"
# What stands for everything in other languages than English where a thing may be named (the group `thing`).
_EVERYTHING = re.compile(
    rf"alle[sm]|(?:diese[srnm]? )?{_TEXTS_DE}|tout|{_TEXTS_FR}|todo|{_TEXTS_ES}|{_THIS_JA}|すべて|全部|全体"
    rf"|(?:所有|全部|这里|这)?(?:个|些)?的?{_TEXTS_ZH}(?:的?(?:全部|所有)?内容)?|这些?|这里",
    re.IGNORECASE,
)
_SUBJECT = tuple(
    re.compile(rule, re.IGNORECASE)
    for rule in (
        rf"^{_SHOWN}{_NOUN} (?:of|about|to|on|for) (?P<subject>.+)$",
        rf"^(?:an? )?{_KIND}(?:overview|outline|synopsis|rundown|gist) (?:of|about) (?P<subject>.+)$",
        r"^(?:briefly )?(?:summari[sz]e|sum up) (?P<subject>.+)$",
        rf"^what(?:'s| is| are) (?P<subject>.+?) {_ALL}about$",
        rf"^(?:what|which) {_MAIN}(?:topics?|subjects?|themes?|areas?) (?:does|do) (?P<subject>.+?) {_COVERED}$",
        rf"^(?:what|which) {_MAIN}(?:topics?|subjects?|themes?|areas?) are {_COVERED} (?:in|by) (?P<subject>.+)$",
        rf"^what are (?:the )?{_MAIN}(?:topics?|subjects?|themes?|points?|contents?|ideas?) (?:of|in) (?P<subject>.+)$",
        rf"^what (?:does|do) (?P<subject>.+? {_WORK}) (?:cover|deal with|contain|discuss)$",
        rf"^(?:bitte )?fass(?:e|en sie)? {_PAGE_DE}(?P<thing>.+?) (?:kurz )?zusammen$",
        rf"^(?:eine )?(?:kurze )?zusammenfassung (?:von|über|zu[rm]?|de[rs]) {_PAGE_DE}(?P<thing>.+)$",
        rf"^r[ée]sum(?:e|er|ez)(?:[- ]moi)? (?:l['’]|(?:le|la|les|ce|cette|ces) |(?=tout$)){_PAGE_FR}(?P<thing>.+)$",
        rf"^(?:un )?r[ée]sum[ée] (?:de l['’]|(?:de la|de|du|des) ){_PAGE_FR}(?P<thing>.+)$",
        rf"^¿?res[uú]m(?:e|eme|a|ir) (?:(?:el|la|los|las|est[eao]s?) |(?=todo$)){_PAGE_ES}(?P<thing>.+)$",
        rf"^(?:un )?(?:breve )?resumen (?:del|de la|de los|de las|de) {_PAGE_ES}(?P<thing>.+)$",
        rf"^(?:请)?(?:总结|概述|概括)(?:一下)?(?P<thing>(?!.*(?:{_ASKED_ZH})).{{2,60}})$",
        rf"^(?P<thing>.{{2,60}}?)(?:の(?:内容|{_OUTLINE_JA}))?(?:を|について)(?:簡単に|短く)?(?:要約|まとめ)(?:し?て)?{PLEASE_JA}$",
        rf"^(?P<thing>.{{2,60}}?)の{_OUTLINE_JA}(?:を?{TOLD_JA}|は?何?{IS_JA})$",
    )
)
_MAX_QUESTION_CHARS = 300  # characters: a longer question describes a case
_DENIED = re.compile(r"(?:\bnot|n't|\bnever)$", re.IGNORECASE)  # what it does not cover is a fact
_TAIL = re.compile(
    r"[,:;–-]?\s+(?:what(?:'?s| is| are)?|whats) the differences?(?: between (?:them|the two))?$", re.IGNORECASE
)
_COMMA = re.compile(r"\s*,\s+(and|or|with|to|vs|versus)\b", re.IGNORECASE)
_USE = re.compile(
    r"^what (?:can|could) (?:i|we|you|one) (?:do|use) with (?P<subject>.{1,60})$|"
    r"^what (?:is|are) (?P<about>.{1,60}) (?:all about|about|for|used for|good for)$|"
    r"^(?:what(?:'s| is| are)|explain|tell me about|describe) (?!an? )(?P<called>.{1,60})$",  # "a BIP" is any of many
    re.IGNORECASE,
)
_ARTICLES = re.compile(r"^(?:an?|the|our|your|this|that|these)\s+", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Breadth:
    """What a broad question is about: a `subject`, two `sides` that are compared, or else everything there is."""

    subject: str = ""
    sides: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether it is about everything."""
        return not self.subject and not self.sides


def breadth_of(text: str) -> Breadth | None:
    """What a broad question is about; None if a question is not broad.

    Args:
        text: the question's language, without code.
    """
    plain = bare_question(text)
    if len(plain) > _MAX_QUESTION_CHARS:
        return None
    if any(rule.search(plain) for rule in _WHOLE):
        return Breadth()
    for rule in _SUBJECT:
        if match := rule.search(plain):
            subject = _ARTICLES.sub("", match[1].strip())
            if match.lastgroup == "thing" and _EVERYTHING.fullmatch(subject):
                return Breadth()
            is_whole = content_words(subject) and not _DENIED.search(subject)
            return Breadth(subject=subject) if is_whole else None
    sides = tuple(_ARTICLES.sub("", side) for side in whole_sides(_TAIL.sub("", _COMMA.sub(r" \1", plain))))
    return Breadth(sides=sides) if sides and all(map(content_words, sides)) else None


def used_thing(text: str) -> str:
    """The thing that a question asks what it is, or is for; broad only if that is what everything is about.

    Args:
        text: the question's language, without code.
    """
    match = _USE.search(bare_question(text))
    return "" if match is None else match["subject"] or match["about"] or match["called"]
