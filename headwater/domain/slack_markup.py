"""Slack's marks for people, channels and links within a text, and which messages people write.

Belongs here: what the bot and the kind of source `slack` share. Not here: markdown (`headwater.sources.slack.mrkdwn`,
`integrations.dialects`), asking Slack. Guarantee: pure; the work is linear in the text.
"""

import re
from collections.abc import Callable

SUBTYPES_OF_PEOPLE = ("thread_broadcast", "file_share", "me_message")
"""The subtypes of messages that people write; most have none."""
_MARK_PATTERN = re.compile(r"<([^<>|]*)(?:\|([^<>]*))?>")


def replace_marks(text: str, write: Callable[[str, str], str]) -> str:
    """A text in which each mark, such as `<@U1>` or `<https://example.com|this>`, is written otherwise.

    Args:
        text: the text, still escaped.
        write: gets what a mark names and its label, which may be empty.
    """
    return _MARK_PATTERN.sub(lambda match: write(match[1], match[2] or ""), text)


def unescape(text: str) -> str:
    """A text without the escapes of the three signs that Slack escapes."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
