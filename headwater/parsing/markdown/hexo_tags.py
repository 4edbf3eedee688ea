"""Tags of Hexo's plugins, such as `{% codeblock lang:js %}`, and what a reader sees of them.

Belongs here: code, links to pages, what is shown from elsewhere, quotations in lines of their own. Not here: tags that
Liquid has, too (`template_tags`). Guarantee: pure; a pair is looked for within a limited stretch; a quotation without
an end stays as it is.
"""

import re
from pathlib import PurePosixPath

from headwater.parsing.markdown.edits import Edits, new_step
from headwater.parsing.markdown.fences import has_mark, spans_outside_code
from headwater.parsing.markdown.tag_words import MAX_PAIR_CHARS, TemplateTag
from headwater.parsing.markdown.writer import bold, escape_tags

_TAG = re.compile(
    r"\{%[ \t]*+(?:(?P<code>code|codeblock)(?=[ \t%])(?P<options>[^%\n]{0,500}+)%\}"
    r"|(?P<link>post_link|asset_link)[ \t](?P<target>[^%\n]{1,500}+)%\}"
    r"|(?:asset_img|gist|iframe|img|include_code|jsfiddle|vimeo|youtube)[ \t][^%\n]{1,500}+%\})"
)
_CODE_ENDS = {name: re.compile(rf"\{{%[ \t]*end{name}[ \t]*%\}}(?!`)") for name in ("code", "codeblock")}
_OPTION = re.compile(r"(?<!\S)(?:/|\w{1,40}[:=])\S*")
_LANGUAGE = re.compile(r"\blang(?:uage)?:(?P<language>[\w+#-]+)")
_LINK = re.compile(r"(?P<slug>\S++)[ \t]*+(?P<title>.*?)(?:[ \t](?:true|false))?")
_RAW = re.compile(
    r"\{%[ \t]*+raw[ \t]*+%\}(?P<inside>(?:[^\n{]|\{(?!%[ \t]*+(?:end)?raw\b))*+)\{%[ \t]*+endraw[ \t]*+%\}"
)
_QUOTE = re.compile(
    r"^\{%[ \t]*(?P<name>(?:block)?quote)(?P<author>[ \t][^%\n]{0,500})?%\}[ \t]*\n"
    r"(?P<lines>(?:(?!\{%[ \t]*(?:end)?(?:block)?quote)[^\n]*\n){1,200}+)\{%[ \t]*end(?P=name)[ \t]*%\}[ \t]*$",
    re.MULTILINE,
)
_ADDRESS = re.compile(r"(?<!\S)(?:https?:/)?/\S*")


def read_hexo_tag(text: str, start: int) -> TemplateTag | None:
    """Read the tag that begins at an offset; None if none of Hexo's does.

    Args:
        text: markdown.
        start: the offset of its brace.
    """
    tag = _TAG.match(text, start)
    if tag is None:
        return None
    if tag["code"]:
        return _read_code(text, tag)
    if tag["link"]:
        link = _LINK.fullmatch(tag["target"].strip())
        title = link["title"].strip("\"' \t") if link else ""
        return TemplateTag(escape_tags(title) or _name_words(link["slug"] if link else ""), tag.end())
    return TemplateTag("", tag.end())


def without_raw(code: str) -> str:
    """Inline code without the tags that let a template's marks in it stand."""
    return _RAW.sub(lambda raw: raw["inside"].strip(), code) if "endraw" in code else code


def quotations_as_markdown(text: str, edits: Edits) -> str:
    """Write quotations between tags in lines of their own as those of markdown, with their authors below.

    Args:
        text: markdown.
        edits: records what is replaced.
    """
    if "quote %}" not in text:
        return text
    step, texts, copied_end = new_step(), [], 0
    for begin, end in spans_outside_code(text):
        for quotation in _QUOTE.finditer(text, begin, end):
            names = (words.strip(" \t,") for words in _ADDRESS.split(quotation["author"] or ""))
            author = ", ".join(filter(None, names))
            offset = quotation.start("lines")
            step.extend((quotation.start(), offset, 1))
            texts += [text[copied_end : quotation.start()], "\n"]
            for line in quotation["lines"].removesuffix("\n").split("\n"):
                mark = "> " if line.strip() else ">"
                step.extend((offset, offset, len(mark)))
                texts += [mark, line, "\n"]
                offset += len(line) + 1
            texts.append(f">\n> — {author}\n" if author else "")
            step.extend((offset, quotation.end(), len(texts[-1])))
            copied_end = quotation.end()
    edits.add(step)
    return "".join([*texts, text[copied_end:]])


def _read_code(text: str, tag: re.Match[str]) -> TemplateTag | None:
    """Code between two tags, with its title; None if they are GitBook's, which enclose a fence."""
    closing = _CODE_ENDS[tag["code"]].search(text, tag.end(), tag.end() + MAX_PAIR_CHARS)
    code = text[tag.end() : closing.start()] if closing else ""
    options = tag["options"] or ""
    if closing is None or (tag["code"] == "code" and (has_mark(code) or "=" in options)):
        return None
    language = _LANGUAGE.search(options)
    title = " ".join(_OPTION.sub("", options).split()).strip("\"'")
    return TemplateTag(
        f"{bold(title)}\n" if title else "", closing.end(), code, language["language"] if language else ""
    )


def _name_words(slug: str) -> str:
    """The words in the name of a page, such as `how to start` for `guides/how-to-start`."""
    return PurePosixPath(slug).stem.replace("-", " ").replace("_", " ").strip()
