"""The process that a parser with limits runs in: `python -m headwater.parsing.sandbox.child`.

Belongs here: reading requests, parsing, answering. Not here: starting it (`pool`), confining it
(`headwater.confinement`).
Guarantee: it imports only the parser that it was started for; an error of a parser is an answer, not the end of the
process; it ends when its parent does, and when it has had nothing to do for a minute.
"""

import gc
import importlib
import os
import sys

from headwater.confinement.child import RETIRED, data_megabytes, enter, limit_time, peak_megabytes
from headwater.errors import DocumentError, ParserLimitError
from headwater.parsing.parser import File, Parser
from headwater.parsing.sandbox.protocol import Frames, answer_frames, error_frames, read_request

_IDLE_SECONDS = 60
_GRACE = 2.0  # times the limit: the parent ends a process that is late long before
_LIMIT_SHARE = 0.75  # of the memory limit; a failed allocation may have been large
_USED_SHARE = 0.5  # of the memory that is left for files; beyond it, the next file gets a fresh process


def load(path: str) -> Parser:
    """Create the parser of a class, named like `package.module:Class`."""
    module, _, name = path.partition(":")
    parser = getattr(importlib.import_module(module), name)()
    if not isinstance(parser, Parser):
        raise TypeError(f"{path} is not a parser")
    return parser


def main(path: str, seconds: float, megabytes: int, *arguments: str) -> None:
    """Answer requests until the parent closes the pipe.

    Args:
        path: the parser's class.
        seconds: the time that one file may take.
        megabytes: the memory that the process may use.
        arguments: as `enter` takes them.
    """
    pipes = enter(megabytes, arguments)
    parser, problem = _prepare_parser(path)
    gc.collect()
    gc.freeze()
    base = data_megabytes()
    enough = base + (megabytes - base) * _USED_SHARE
    pipes.ready()
    while pipes.is_asked(_IDLE_SECONDS):
        file = read_request(pipes.read(), pipes.read())
        limit_time(seconds * _GRACE)
        frames = _answer(parser, file, megabytes) if parser else problem
        limit_time(0)
        for content in frames:
            pipes.write(content)
        del file, frames
        if data_megabytes() > enough:
            gc.collect()
            if data_megabytes() > enough:
                break
    os._exit(RETIRED)


def _prepare_parser(path: str) -> tuple[Parser | None, Frames]:
    """The parser, ready to parse; or None and the answer that says why it is not."""
    try:
        parser = load(path)
        parser.prepare()
    except DocumentError as error:
        return None, error_frames(error.code, str(error))
    except Exception as error:  # noqa: BLE001 - a library that is missing or broken is reported with every file
        reason = f"{type(error).__name__}: {error}"[:300]
        return None, error_frames(
            DocumentError.code, f"The parser {path} cannot start ({reason}). Install its package again."
        )
    return parser, error_frames("", "")


def _answer(parser: Parser, file: File, megabytes: int) -> Frames:
    try:
        return answer_frames(parser.parse(file), file)
    except DocumentError as error:
        return error_frames(error.code, str(error))
    except MemoryError:
        return _too_large(megabytes)
    except RecursionError:
        return error_frames(DocumentError.code, "Its parts are nested too deeply to be read.")
    except Exception as error:  # noqa: BLE001 - whatever a damaged file makes a library raise concerns that file only
        if peak_megabytes() > megabytes * _LIMIT_SHARE:  # a library of C makes any error of it
            return _too_large(megabytes)
        reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        return error_frames(DocumentError.code, f"The file is damaged, or not of its type ({reason[:300]}).")


def _too_large(megabytes: int) -> Frames:
    return error_frames(
        ParserLimitError.code,
        f"Reading the file took more than {megabytes} MB of memory, the limit of its parser, so it was left out."
        " Divide it, or raise HEADWATER_PARSER_MEMORY.",
    )


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:])
