"""How Japanese asks what there is, how many, and what is different: parts of rules for other modules.

Belongs here: wordings of Japanese that several kinds of question share, and its grammar between the words that name
things. Not here: what is done with a question of a kind (`breadth`, `inventory`, `sub_questions`). Guarantee: pure;
these are parts of regular expressions for a question in one line without the marks at its end.
"""

import re

PLEASE_JA = r"(?:ください|下さい|くれますか|くれませんか|もらえますか|いただけますか|ほしい|欲しい|ほしいです)?"
"""Follows a verb in a request."""
TOLD_JA = rf"(?:(?:教え|説明し|紹介し|示し|見せ|挙げ|出し|まとめ|要約し)て{PLEASE_JA}|お願いします)"
"""What is asked for is to be told or shown."""
EXISTING_JA = r"(?:あり|い|存在し)?(?:ます|る|ある|いる|存在する)(?:の)?(?:です)?か?"
"""What is asked about exists."""
MANY_JA = r"(?:いくつ|何(?:個|件|種類|ページ|本|冊|枚))(?:くらい|ぐらい|ほど)?"
"""How many there are; of hours or yen nothing is counted."""
_IS = r"(?:です|でしょう)?か?"
_DIFFERENT = (
    rf"(?:の(?:違い|相違点?|差異?|比較)(?:(?:を|について)?(?:詳しく|簡単に)?{TOLD_JA}|[はって]*(?:何|どこ|どう)?{_IS})"
    rf"|を(?:比較|比べ)(?:し)?て?{PLEASE_JA}"
    rf"|(?:は|では|って)(?:何が|どこが|どう|どのように)(?:違|異な)(?:う|る|います|ります)(?:の)?{_IS})"
)
_SIDE = r"(?P<{name}>[^?？、。]{{2,40}}?)"
COMPARED_JA = tuple(
    rf"^{_SIDE.format(name='one')}{border}と、?{_SIDE.format(name='other')}(?:と)?{_DIFFERENT}$"
    for border in (r"(?<=[^ぁ-ん])", "")
)
"""Two things of which the difference is asked for: "と" behind hiragana may be part of a word, so it comes second."""
_WHICH = r"(?:どんな|どのような|どういう|何の)"
_ABOUT = r"(?:について|に関して|に関する|に関連する)(?:の|は|も|書かれた|書いた|書いてある)?"
LISTED_JA = (
    rf"^{_WHICH}(?P<subject>.{{1,40}}?)(?P<rest>)が{EXISTING_JA}$",
    rf"^(?P<subject>.{{1,40}}?)(?:{_ABOUT}|には?)、?{_WHICH}(?P<rest>.{{0,20}}?)(?:種類|もの|こと)?が{EXISTING_JA}$",
    rf"^(?P<subject>.{{1,40}}?)の?(?:一覧|リスト)(?P<rest>)(?:を?{TOLD_JA}|は?(?:何)?(?:です)?か?)$",
    rf"^(?P<subject>.{{1,40}}?)(?P<rest>)を(?:(?:すべて|全て|全部){TOLD_JA}|(?:列挙|リストアップ)して{PLEASE_JA})$",
)
"""The members of a family are asked for."""
COUNTED_JA = (
    rf"^(?P<subject>.{{1,40}}?)(?P<rest>)(?:は|が|って)(?:全部で|合計で?)?{MANY_JA}{EXISTING_JA}$",
    rf"^{MANY_JA}の(?P<subject>.{{1,40}}?)(?P<rest>)が{EXISTING_JA}$",
    rf"^(?P<subject>.{{1,40}}?)の(?:数|件数|総数|個数)(?P<rest>)(?:を{TOLD_JA}|は(?:いくつ)?(?:です)?か?)$",
)
"""Their number is asked for."""
_JAPANESE = re.compile(r"[ぁ-ん]")
_GRAMMAR = re.compile(rf"{_ABOUT}|(?<=[^ぁ-ん])[ぁ-ん]+(?=[^ぁ-ん])")
_KINDS = frozenset(("ページ", "文書", "記事", "資料", "ドキュメント", "ノート", "メモ"))


def find_kinds(phrase: str) -> str:
    """The words of a phrase, as `part_words` gives it, that name a kind of document."""
    return " ".join(word for word in phrase.split() if word in _KINDS)


def part_words(text: str) -> str:
    """A phrase with blanks for the Japanese grammar between its words: "AI ページ" for "AIについてのページ"."""
    return _GRAMMAR.sub(" ", text) if _JAPANESE.search(text) else text
