"""The names of encodings as senders of mail and authors of pages use them.

Belongs here: which of Python's encodings a name means. Not here: decoding, guesses (`text`), who states the name.
Guarantee: a name that is not listed means itself.
"""

_SUPERSETS = {  # as browsers read them: people name the smaller set and use the larger one
    "iso-8859-1": "cp1252", "latin-1": "cp1252", "latin1": "cp1252", "us-ascii": "cp1252", "ascii": "cp1252",
    "iso-8859-9": "cp1254", "iso-8859-11": "cp874", "tis-620": "cp874", "windows-874": "cp874",
    "gb2312": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030", "cp936": "gb18030", "windows-936": "gb18030",
    "shift_jis": "cp932", "shift-jis": "cp932", "sjis": "cp932", "x-sjis": "cp932", "windows-31j": "cp932",
    "euc-kr": "cp949", "ks_c_5601-1987": "cp949", "ks_c_5601": "cp949", "windows-949": "cp949", "big5": "big5hkscs",
    "iso-8859-6-i": "iso-8859-6", "iso-8859-8-i": "iso-8859-8", "x-user-defined": "cp1252",
}  # fmt: skip


def find_superset(name: str) -> str:
    """The encoding that a name means, in small letters."""
    name = name.lower()
    return _SUPERSETS.get(name, name)
