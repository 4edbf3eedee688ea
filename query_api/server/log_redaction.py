"""Keys in logs.

Belongs here: taking secrets of API keys out of every log record of a server's process. Not here: what is logged.
Guarantee: a record names the id of a key, never its secret, whichever library writes it, also within a traceback.
"""

import logging
from typing import Any

from headwater.settings import hide_keys

_SIGN = "hw_"


def hide_keys_in_logs() -> None:
    """From now on, no log record of this process holds the secret of a key."""
    make = logging.getLogRecordFactory()

    def hiding(*arguments: Any, **named: Any) -> logging.LogRecord:
        record = make(*arguments, **named)
        words = _words(record)
        if _SIGN in words:
            record.msg, record.args = hide_keys(words), ()
        if record.exc_info and record.exc_info[0] is not None:
            trace = logging.Formatter().formatException(record.exc_info)
            if _SIGN in trace:
                record.exc_text = hide_keys(trace)  # what formatters use instead of the exception
        return record

    logging.setLogRecordFactory(hiding)


def _words(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except (TypeError, ValueError):  # its arguments do not fit: logging reports that itself
        return ""
