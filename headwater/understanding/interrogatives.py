"""Question words in languages other than English: no document answers with them.

Belongs here: interrogatives, and words beside them in questions that say nothing about the subject. Not here: stop
words, which Postgres has for most languages; English, whose words are in `words`. Guarantee: pure; lower case.

Postgres's stop words include the articles and pronouns of a language, but not `warum`, `combien` or `сколько`. If these
counted as content, no passage would contain them, and good passages would be refused.
"""

from collections.abc import Iterable

_WORDS = {
    "de": "warum weshalb wieso woher wohin woran worin worauf wovon wodurch womit wozu wofür wann wer wen wem "
    "wessen was wo wie welche welcher welches welchen welchem viel viele vielen oft lange lang gibt gab "
    "hat hatte haben hatten wird wurde werden wurden ist sind war waren kann können muss soll darf heißt "
    "heißen genannt bekannt passiert geschieht gehört bedeutet bezeichnet eigentlich etwa beim ihr ihre "
    "ihren ihrem sein seine seinen",
    "fr": "pourquoi comment combien quand où qui que quoi quel quelle quels quelles lequel laquelle est-ce tous "
    "tout toute fait fait-il y a-t-il peut peut-on doit appelle appelé appelée connu connue sont était "
    "étaient été avait avoir être afin lors selon celui celle ceux ça cela signifie veut dire",
    "es": "por qué cómo cuánto cuánta cuántos cuántas cuándo dónde quién quiénes cuál cuáles hay había tiene "
    "tenía puede pueden debe llama llamado llamada conocido conocida significa quiere decir suele suelen "
    "es son era fue fueron ser está están cada según",
    "it": "perché come quanto quanta quanti quante quando dove chi che cosa quale quali c'è ha aveva hanno può "
    "possono deve chiama chiamato chiamata conosciuto significa vuol dire è sono era stato stata essere ogni secondo",
    "pt": "por porque porquê quê como quanto quanta quantos quantas quando onde quem qual quais há tem tinha "
    "pode podem deve chama chamado chamada conhecido significa quer dizer é são era foi foram ser está cada segundo",
    "nl": "waarom hoe hoeveel wanneer waar wie wat welk welke waarin waarop waarmee waarvan waaruit heeft had "
    "hebben kan kunnen moet wordt werd is zijn was heet genoemd bekend betekent vaak lang gebeurt",
    "ru": "почему зачем отчего как каков какова каково каковы какой какая какое какие какого каком каким какому "
    "какую каких сколько когда где куда откуда кто кого кому кем что чего чему чем чей чья чьи ли какими "
    "есть был была было были бывает бывают может могут можно нужно должен является являются называется "
    "называют назывался такое значит означает часто лет год году года лучше",
    "uk": "чому навіщо як який яка яке які якого якому яким якою скільки коли де куди звідки хто кого кому ким "
    "що чого чому чим чи є був була було були може можуть можна називається",
    "sv": "varför hur många mycket när var vart varifrån vem vad vilken vilket vilka finns fanns har hade kan "
    "kunde är var blev kallas heter ofta länge lång",
    "da": "hvorfor hvordan hvor mange meget hvornår hvem hvad hvilken hvilket hvilke findes har havde kan kunne "
    "er var blev kaldes hedder betyder ofte længe lang",
    "no": "hvorfor hvordan hvor mange mye når hvem hva hvilken hvilket hvilke finnes har hadde kan kunne er var "
    "ble kalles heter ofte lenge lang",
    "pl": "dlaczego czemu jak jaki jaka jakie jakiego jakiej jakim ile kiedy gdzie skąd dokąd kto kogo komu kim "
    "co czego czym czy jest są był była było były może można który która które którego której którym "
    "nazywa jako się",
    "tr": "neden niçin niye nasıl kaç kadar zaman nerede nereye nereden kim kimin ne hangi mi mı mu mü midir "
    "mıdır nedir var yok oldu olan",
    "fi": "miksi miten kuinka monta paljon milloin missä minne mistä kuka ketkä mikä mitä mitkä onko oliko ovat "
    "oli voi",
    "hu": "miért hogyan hány mennyi mikor hol hová honnan ki kik mi mit melyik van volt lehet",
    "ro": "de ce cum cât câtă câți câte când unde cine care ce este sunt era au fost are avea poate numește cunoscut",
    "el": "γιατί πώς πόσο πόσα πόσοι πόσες πότε πού ποιος ποια ποιο ποιοι ποιες τι είναι ήταν υπάρχει έχει είχε μπορεί",
    "ar": "لماذا كيف كم متى أين من ما ماذا أي أية هل كان كانت هو هي يكون تكون يمكن يسمى",
    "id": "mengapa kenapa bagaimana berapa banyak lama kapan di mana siapa apa apakah adalah ada disebut dapat bisa",
    "hi": "क्यों कैसे कितना कितने कितनी कब कहाँ कौन क्या किस किसने किसे है हैं था थे थी सकता",
    "ko": "왜 어떻게 얼마나 몇 언제 어디 어디서 어디에 누가 누구 무엇 무엇을 어떤 있나요 입니까",
}
_ASKING = {language: frozenset(words.replace("-", " ").replace("'", " ").split()) for language, words in _WORDS.items()}


def load_interrogatives(languages: Iterable[str]) -> frozenset[str]:
    """The question words of some languages, by their codes."""
    return frozenset().union(*(_ASKING.get(language, frozenset()) for language in languages))
