"""What readers are told, in their language.

Belongs here: the sentences of a refusal and of a question back, and the words between titles in a list or an overview,
in every language that has them, and looking up a sentence. Not here: those about a chat model (`model_texts`), when
each is said (`headwater.answering`), the interface, which is in English. Guarantee: pure; another language gets
English; every language has all sentences with the same fields.
"""

from collections.abc import Mapping

from headwater.domain.languages import language_code
from headwater.understanding.model_texts import MODEL_TEXTS

GREETING, REFUSAL, PAST_REFUSAL, UNDECIDED, CLOSEST = "greeting", "refusal", "past refusal", "undecided", "closest"
SOURCES_REFUSAL, PART_REFUSAL = "refusal of sources", "refusal of a part"
WHICH = "which"
DOCUMENTS, IN_PARTS, SUCH_AS, MORE, OTHERS = "documents", "in parts", "such as", "more", "others"
SECTION_LIST = "sections"
NOTHING = "nothing"
WITHIN = "within"
"""What stands before the name of what a list is in: a sign, where the word would depend on the name."""
_OFFERED = "“{question}”"
"""How `WHICH` quotes a question that may be meant, in every language."""

_TEXTS: Mapping[str, Mapping[str, str]] = {
    "en": {
        GREETING: (
            "I answer questions from the documents of this knowledge base. What would you like to know about them?"
        ),
        REFUSAL: "The documents of this knowledge base do not answer this question.",
        SOURCES_REFUSAL: "The documents of {sources} do not answer this question.",
        PART_REFUSAL: "The part of this knowledge base that was searched does not answer this question.",
        PAST_REFUSAL: "The documents that this knowledge base showed as of {time} do not answer this question.",
        UNDECIDED: "These passages are about its subject, but none says it in one place:",
        CLOSEST: "The closest passage is in {document}, but its trust is only {trust} and {needed} is needed",
        WHICH: "Do you mean “{first}” or “{second}”?",
        DOCUMENTS: "{documents}",
        IN_PARTS: ", in these parts",
        SUCH_AS: ", such as",
        MORE: "and {count} more.",
        OTHERS: "others",
        SECTION_LIST: "Sections:",
        WITHIN: " in ",
        NOTHING: "Nothing in these documents is about “{thing}”.",
    },
    "de": {
        GREETING: "Ich beantworte Fragen aus den Dokumenten dieser Wissensbasis. Was möchten Sie darüber wissen?",
        REFUSAL: "Die Dokumente dieser Wissensbasis beantworten diese Frage nicht.",
        SOURCES_REFUSAL: "Die Dokumente von {sources} beantworten diese Frage nicht.",
        PART_REFUSAL: "Der durchsuchte Teil dieser Wissensbasis beantwortet diese Frage nicht.",
        PAST_REFUSAL: "Die Dokumente, die diese Wissensbasis am {time} enthielt, beantworten diese Frage nicht.",
        UNDECIDED: "Diese Stellen handeln davon, aber keine sagt es an einer Stelle:",
        CLOSEST: "Am nächsten kommt {document}, aber das Vertrauen ist nur {trust}; nötig ist {needed}",
        WHICH: "Meinen Sie “{first}” oder “{second}”?",
        DOCUMENTS: "Dokumente: {documents}",
        IN_PARTS: ", in diesen Teilen",
        SUCH_AS: ", darunter",
        MORE: "und {count} weitere.",
        OTHERS: "andere",
        SECTION_LIST: "Abschnitte:",
        WITHIN: " – ",
        NOTHING: "In diesen Dokumenten steht nichts über “{thing}”.",
    },
    "fr": {
        GREETING: "Je réponds aux questions à partir des documents de cette base. Que voulez-vous savoir ?",
        REFUSAL: "Les documents de cette base ne répondent pas à cette question.",
        SOURCES_REFUSAL: "Les documents de {sources} ne répondent pas à cette question.",
        PART_REFUSAL: "La partie de cette base qui a été consultée ne répond pas à cette question.",
        PAST_REFUSAL: "Les documents que cette base contenait le {time} ne répondent pas à cette question.",
        UNDECIDED: "Ces passages traitent du sujet, mais aucun ne le dit à un seul endroit :",
        CLOSEST: "Le passage le plus proche est dans {document}, mais sa confiance est {trust} ; il faut {needed}",
        WHICH: "Voulez-vous dire “{first}” ou “{second}” ?",
        DOCUMENTS: "Documents : {documents}",
        IN_PARTS: ", dans ces parties",
        SUCH_AS: ", dont",
        MORE: "et {count} de plus.",
        OTHERS: "autres",
        SECTION_LIST: "Sections :",
        WITHIN: " – ",
        NOTHING: "Rien dans ces documents ne porte sur “{thing}”.",
    },
    "es": {
        GREETING: "Respondo preguntas a partir de los documentos de esta base. ¿Qué quiere saber sobre ellos?",
        REFUSAL: "Los documentos de esta base no responden a esta pregunta.",
        SOURCES_REFUSAL: "Los documentos de {sources} no responden a esta pregunta.",
        PART_REFUSAL: "La parte de esta base que se ha consultado no responde a esta pregunta.",
        PAST_REFUSAL: "Los documentos que esta base contenía el {time} no responden a esta pregunta.",
        UNDECIDED: "Estos pasajes tratan del tema, pero ninguno lo dice en un solo lugar:",
        CLOSEST: "El pasaje más cercano está en {document}, pero su confianza es solo {trust} y se necesita {needed}",
        WHICH: "¿Quiere decir “{first}” o “{second}”?",
        DOCUMENTS: "Documentos: {documents}",
        IN_PARTS: ", en estas partes",
        SUCH_AS: ", como",
        MORE: "y {count} más.",
        OTHERS: "otros",
        SECTION_LIST: "Secciones:",
        WITHIN: " – ",
        NOTHING: "Nada en estos documentos trata de “{thing}”.",
    },
    "it": {
        GREETING: "Rispondo alle domande a partire dai documenti di questa base. Che cosa vuole sapere?",
        REFUSAL: "I documenti di questa base non rispondono a questa domanda.",
        SOURCES_REFUSAL: "I documenti di {sources} non rispondono a questa domanda.",
        PART_REFUSAL: "La parte di questa base che è stata consultata non risponde a questa domanda.",
        PAST_REFUSAL: "I documenti che questa base conteneva il {time} non rispondono a questa domanda.",
        UNDECIDED: "Questi passaggi trattano l'argomento, ma nessuno lo dice in un solo punto:",
        CLOSEST: "Il passaggio più vicino è in {document}, ma la sua affidabilità è solo {trust}; serve {needed}",
        WHICH: "Intende “{first}” o “{second}”?",
        DOCUMENTS: "Documenti: {documents}",
        IN_PARTS: ", in queste parti",
        SUCH_AS: ", tra cui",
        MORE: "e {count} in più.",
        OTHERS: "altri",
        SECTION_LIST: "Sezioni:",
        WITHIN: " – ",
        NOTHING: "Niente in questi documenti riguarda “{thing}”.",
    },
    "pt": {
        GREETING: "Respondo a perguntas com base nos documentos desta base. O que deseja saber sobre eles?",
        REFUSAL: "Os documentos desta base não respondem a esta pergunta.",
        SOURCES_REFUSAL: "Os documentos de {sources} não respondem a esta pergunta.",
        PART_REFUSAL: "A parte desta base que foi consultada não responde a esta pergunta.",
        PAST_REFUSAL: "Os documentos que esta base continha em {time} não respondem a esta pergunta.",
        UNDECIDED: "Estes trechos tratam do assunto, mas nenhum o diz num só lugar:",
        CLOSEST: "O trecho mais próximo está em {document}, mas a sua confiança é só {trust}; é preciso {needed}",
        WHICH: "Quer dizer “{first}” ou “{second}”?",
        DOCUMENTS: "Documentos: {documents}",
        IN_PARTS: ", nestas partes",
        SUCH_AS: ", como",
        MORE: "e mais {count}.",
        OTHERS: "outros",
        SECTION_LIST: "Secções:",
        WITHIN: " – ",
        NOTHING: "Nada nestes documentos trata de “{thing}”.",
    },
    "nl": {
        GREETING: "Ik beantwoord vragen uit de documenten van deze kennisbank. Wat wilt u erover weten?",
        REFUSAL: "De documenten van deze kennisbank beantwoorden deze vraag niet.",
        SOURCES_REFUSAL: "De documenten van {sources} beantwoorden deze vraag niet.",
        PART_REFUSAL: "Het doorzochte deel van deze kennisbank beantwoordt deze vraag niet.",
        PAST_REFUSAL: "De documenten die deze kennisbank op {time} bevatte, beantwoorden deze vraag niet.",
        UNDECIDED: "Deze passages gaan erover, maar geen ervan zegt het op één plaats:",
        CLOSEST: "Het dichtst bij komt {document}, maar het vertrouwen is slechts {trust}; nodig is {needed}",
        WHICH: "Bedoelt u “{first}” of “{second}”?",
        DOCUMENTS: "Documenten: {documents}",
        IN_PARTS: ", in deze delen",
        SUCH_AS: ", zoals",
        MORE: "en nog {count}.",
        OTHERS: "overige",
        SECTION_LIST: "Secties:",
        WITHIN: " – ",
        NOTHING: "Niets in deze documenten gaat over “{thing}”.",
    },
    "ru": {
        GREETING: "Я отвечаю на вопросы по документам этой базы знаний. Что вы хотите узнать?",
        REFUSAL: "Документы этой базы знаний не отвечают на этот вопрос.",
        SOURCES_REFUSAL: "Документы из {sources} не отвечают на этот вопрос.",
        PART_REFUSAL: "Просмотренная часть этой базы знаний не отвечает на этот вопрос.",
        PAST_REFUSAL: "Документы, которые эта база знаний содержала на {time}, не отвечают на этот вопрос.",
        UNDECIDED: "Эти отрывки говорят об этом, но ни один не отвечает в одном месте:",
        CLOSEST: "Ближе всего {document}, но доверие лишь {trust}, а нужно {needed}",
        WHICH: "Вы имеете в виду “{first}” или “{second}”?",
        DOCUMENTS: "Документов: {documents}",
        IN_PARTS: ", в этих частях",
        SUCH_AS: ", например",
        MORE: "и ещё {count}.",
        OTHERS: "другие",
        SECTION_LIST: "Разделы:",
        WITHIN: " – ",
        NOTHING: "В этих документах ничего нет о “{thing}”.",
    },
    "ja": {
        GREETING: "このナレッジベースの文書をもとに質問にお答えします。何をお知りになりたいですか。",
        REFUSAL: "このナレッジベースの文書には、この質問の答えがありません。",
        SOURCES_REFUSAL: "{sources} の文書には、この質問の答えがありません。",
        PART_REFUSAL: "このナレッジベースの検索した範囲には、この質問の答えがありません。",
        PAST_REFUSAL: "{time} 時点のこのナレッジベースの文書には、この質問の答えがありません。",
        UNDECIDED: "次の箇所が関連していますが、一か所で答えているものはありません。",
        CLOSEST: "最も近い箇所は {document} ですが、信頼度は {trust} で、必要な {needed} に足りません",
        WHICH: "“{first}” と “{second}” のどちらの意味ですか。",
        DOCUMENTS: "文書 {documents} 件",
        IN_PARTS: "（次の部分）",
        SUCH_AS: "（例）",
        MORE: "ほか {count} 件。",
        OTHERS: "その他",
        SECTION_LIST: "節：",
        WITHIN: " – ",
        NOTHING: "これらの文書には “{thing}” についての記述がありません。",
    },
    "zh": {
        GREETING: "我根据此知识库的文档回答问题。您想了解什么？",
        REFUSAL: "此知识库的文档没有回答这个问题。",
        SOURCES_REFUSAL: "{sources} 的文档没有回答这个问题。",
        PART_REFUSAL: "此知识库中所搜索的部分没有回答这个问题。",
        PAST_REFUSAL: "截至 {time}，此知识库的文档没有回答这个问题。",
        UNDECIDED: "以下段落与此有关，但没有一段完整地回答它：",
        CLOSEST: "最接近的段落在 {document}，但其可信度仅为 {trust}，需要 {needed}",
        WHICH: "您是指 “{first}” 还是 “{second}”？",
        DOCUMENTS: "{documents} 个文档",
        IN_PARTS: "，分为以下部分",
        SUCH_AS: "，例如",
        MORE: "以及另外 {count} 个。",
        OTHERS: "其他",
        SECTION_LIST: "章节：",
        WITHIN: " – ",
        NOTHING: "这些文档中没有关于 “{thing}” 的内容。",
    },
    "ko": {
        GREETING: "이 지식 베이스의 문서를 바탕으로 질문에 답합니다. 무엇을 알고 싶으신가요?",
        REFUSAL: "이 지식 베이스의 문서에는 이 질문에 대한 답이 없습니다.",
        SOURCES_REFUSAL: "{sources}의 문서에는 이 질문에 대한 답이 없습니다.",
        PART_REFUSAL: "이 지식 베이스에서 검색한 부분에는 이 질문에 대한 답이 없습니다.",
        PAST_REFUSAL: "{time} 기준 이 지식 베이스의 문서에는 이 질문에 대한 답이 없습니다.",
        UNDECIDED: "다음 구절이 관련되어 있지만, 한 곳에서 답하는 구절은 없습니다:",
        CLOSEST: "가장 가까운 구절은 {document}에 있지만, 신뢰도가 {trust}로 필요한 {needed}에 못 미칩니다",
        WHICH: "“{first}” 와 “{second}” 중 어느 것을 뜻하시나요?",
        DOCUMENTS: "문서 {documents}개",
        IN_PARTS: ", 다음 부분으로",
        SUCH_AS: ", 예를 들면",
        MORE: "그 외 {count}개.",
        OTHERS: "기타",
        SECTION_LIST: "섹션:",
        WITHIN: " – ",
        NOTHING: "이 문서에는 “{thing}” 에 대한 내용이 없습니다.",
    },
}
LANGUAGES = tuple(_TEXTS)
"""The codes of the languages that have texts."""


def reader_text(name: str, language: str = "", **fields: str) -> str:
    """A sentence in a language.

    Args:
        name: which sentence, such as `REFUSAL`, or one of `model_texts`.
        language: the reader's language code; English if it is unknown or has no texts.
        fields: what stands in it, such as `document`.
    """
    code = language_code(language) if language_code(language) in LANGUAGES else "en"
    return {**_TEXTS[code], **MODEL_TEXTS[code]}[name].format(**fields)


def has_texts(language: str) -> bool:
    """Whether a reader's language is another one than English and has texts."""
    return language_code(language) in LANGUAGES[1:]


def is_offered(question: str, answer: str) -> bool:
    """Whether an answer asks if this question is meant, so that asking it now chooses it as it is.

    Args:
        question: the question.
        answer: the text of the answer before it.
    """
    plain_question = " ".join(question.split())
    return bool(plain_question) and _OFFERED.format(question=plain_question) in answer


def ends_sentence(language: str) -> str:
    """The mark that ends a sentence."""
    return "。" if language_code(language) in ("ja", "zh") else "."
