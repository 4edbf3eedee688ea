"""How Japanese asks what there is, how many, and what differs or changed: parts of rules for other modules.

Belongs here: wordings of Japanese that several kinds of question share, and its grammar between the words that name
things. Not here: what is done with a question of a kind (`breadth`, `inventory`, `change_questions`, `sub_questions`).
Guarantee: pure; these are parts of regular expressions for a question in one line without the marks at its end.
"""

import re

from headwater.understanding.versions_and_dates import DOTTED_NUMBERS, NUMBERS, NUMERIC_DATE

PLEASE_JA = r"(?:ください|下さい|くれますか|くれませんか|もらえますか|いただけますか|ほしい(?:です)?|欲しい(?:です)?)?"
"""Follows a verb in a request."""
TOLD_JA = (
    rf"(?:(?:教え|説明し|紹介し|示し|見せ|挙げ|出し|まとめ|要約し)て{PLEASE_JA}|お願い(?:します)?|知りたい(?:です)?)"
)
"""What is asked for is to be told or shown."""
IS_JA = r"(?:です|でしょう|なん(?:です)?|なの)?(?:か|の)?"
"""Ends a question for what something is."""
EXISTING_JA = r"(?:あり|い|存在し)?(?:ます|る|ある|いる|存在する)(?:の)?(?:です)?か?"
"""What is asked about exists."""
MANY_JA = r"(?:いくつ|何(?:個|件|種類|ページ|本|冊|枚))(?:くらい|ぐらい|ほど)?"
"""How many there are; of hours or yen nothing is counted."""
_HOW = r"(?:何が|どこが|どう|どのように)"
_DIFFER = rf"(?:違|異な)(?:う|る|い(?:ます)?|り(?:ます)?)(?:の)?{IS_JA}"
_DIFFERENT = (
    rf"(?:の(?:違い|相違点?|差異?|比較)(?:(?:を|について)?(?:詳しく|簡単に)?{TOLD_JA}|[はって]*(?:何|どこ|どう)?{IS_JA})"
    rf"|を(?:比較|比べ)(?:し)?て?{PLEASE_JA}|(?:は|では|って|、)?{_HOW}{_DIFFER})"
)
_SIDE = r"(?P<{name}>[^ぁ-ん?？、。]|[^?？、。]{{2,40}}?)"  # 犬 is a word, but no hiragana alone
_ONE, _OTHER = _SIDE.format(name="one"), _SIDE.format(name="other")
COMPARED_JA = (
    rf"^{_ONE}(?<=[^ぁ-ん])と、?{_OTHER}(?:と)?{_DIFFERENT}$",
    rf"^{_ONE}と、?{_OTHER}(?:と)?{_DIFFERENT}$",
    rf"^{_ONE}は、?{_OTHER}と(?:は|比べて)?{_HOW}{_DIFFER}$",
)
"""Two things of which the difference is asked for: "と" behind hiragana may be part of a word, so it comes second."""
_KINDS = ("ページ", "文書", "記事", "資料", "ドキュメント", "ノート", "メモ")
_WHICH = r"(?:どんな|どのような|どういう|何の)"
_ABOUT = r"(?:について|に関して|に関する|に関連する|関連|関係)(?:の|は|も|書かれた|書いた|書いてある)?"
_ALL = r"(?:すべて|全て|全部)"
_LISTED = rf"(?:(?:列挙|リストアップ)して|一覧(?:に|表示)?して){PLEASE_JA}"
LISTED_JA = (
    rf"^{_WHICH}(?P<subject>.{{1,40}}?)(?P<rest>)が{EXISTING_JA}$",
    rf"^(?P<subject>.{{1,40}}?)(?:{_ABOUT}|には?)、?{_WHICH}(?P<rest>.{{0,20}}?)(?:種類|もの|こと)?が{EXISTING_JA}$",
    rf"^(?P<subject>.{{1,40}}?)(?P<rest>)(?:は|には?)何が{EXISTING_JA}$",
    rf"^(?P<subject>.{{1,40}}?)の?(?:一覧|リスト)(?P<rest>)(?:を?{TOLD_JA}|は?(?:何)?{IS_JA})$",
    rf"^(?P<subject>.{{1,40}}?)(?P<rest>)を(?:{_ALL}{TOLD_JA}|{_ALL}?{_LISTED})$",
    rf"^(?P<subject>.{{1,40}}?)(?:{_ABOUT}|の)(?P<rest>{'|'.join(_KINDS)})(?:は|[をは]?{TOLD_JA})$",
)
"""The members of a family are asked for; of pages, it is enough to ask for them."""
COUNTED_JA = (
    rf"^(?P<subject>.{{1,40}}?)(?P<rest>)(?:は|が|って)(?:全部で|合計で?)?{MANY_JA}(?:{EXISTING_JA}|{IS_JA})$",
    rf"^(?P<subject>.{{1,40}}?)(?P<rest>)(?:は|が|って)(?:全部で)?(?:どれ|どの)(?:くらい|ぐらい|ほど){EXISTING_JA}$",
    rf"^{MANY_JA}の(?P<subject>.{{1,40}}?)(?P<rest>)が{EXISTING_JA}$",
    rf"^(?P<subject>.{{1,40}}?)(?:の総?|の[件個]|(?<=ページ)|(?<=記事)|(?<=文書))数(?P<rest>)(?:を{TOLD_JA}|は(?:いくつ)?{IS_JA})$",
)
"""Their number is asked for."""
_CHANGED = (
    rf"(?:何が(?:変わ[っり]|変更され|追加され|新しくな[っり])(?:た|ました|ています)(?:の)?{IS_JA}"
    rf"|の?(?:主な)?(?:変更点?|新機能|更新内容)(?:を{TOLD_JA}|は(?:何)?{IS_JA})?)"
)
_VERSION = rf"(?:[^、。]{{0,20}}?の)?(?:(?:バージョン|ver\.?|v)\s*{NUMBERS}|{DOTTED_NUMBERS})"
CHANGED_JA = (
    rf"^(?P<since>{NUMERIC_DATE}|{_VERSION})(?:以降|以後|から|より後)(?:に|で|は|、)?{_CHANGED}$",
    rf"^(?P<latest>(?:最新|現在|最後)の?(?:バージョン|版|リリース))(?:で|では|に|は)?{_CHANGED}$",
    rf"^(?P<name>{_VERSION})(?:で|では|に)?{_CHANGED}$",
)
"""What changed is asked for, since or in a version, since a date, or in the latest version."""
_JAPANESE = re.compile(r"[ぁ-ん]")
_PARTICLES = r"(?:[でへと]の|(?:から|まで)の?|の?ための|における|という|[のやとにをがはもでへな]|する|した|できる)"
_GRAMMAR = re.compile(rf"{_ABOUT}|(?<=[^ぁ-ん]){_PARTICLES}(?=[^ぁ-ん])")  # not other hiragana: 飲み物 is one word


def find_kinds(phrase: str) -> str:
    """The words of a phrase, as `part_words` gives it, that name a kind of document."""
    return " ".join(word for word in phrase.split() if word in _KINDS)


def part_words(text: str) -> str:
    """A phrase with blanks for the Japanese grammar between its words: "AI ページ" for "AIについてのページ"."""
    return _GRAMMAR.sub(" ", text) if _JAPANESE.search(text) else text
