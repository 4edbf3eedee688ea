"""Mutations of the parser process, and of the bounds of the files that it reads.

Belongs here: limits, checks of answers, zip bombs, entities. Not here: the formats.
"""

from tests.mutations.mutation import Mutation

_PROCESS_TEST = ("tests/unit/test_parser_process.py",)
_SANDBOX_TEST = ("tests/probe/test_parser_sandbox.py",)
_WATCHDOG_TEST = ("tests/unit/test_watchdog.py",)
_ARCHIVES_TEST = ("tests/unit/test_archives.py",)
_ARCHIVES = "headwater/parsing/archives.py"

PARSING = (
    Mutation(
        file="headwater/confinement/child.py",
        old="        _filter_calls(libc, calls)\n",
        new="        pass\n",
        tests=_SANDBOX_TEST,
        why="native code in a parser connects to Postgres",
    ),
    Mutation(
        file="headwater/confinement/child.py",
        old="        libc.syscall(_RESTRICT_SELF, rules, 0)\n",
        new="",
        tests=_SANDBOX_TEST,
        why="native code in a parser reads the home",
    ),
    Mutation(
        file="headwater/syncing/watchdog.py",
        old="        signal.setitimer(signal.ITIMER_VIRTUAL, _WAY, _WAY)\n",
        new="",
        tests=_WATCHDOG_TEST,
        why="a pattern ignores time limit and cancellation",
    ),
    Mutation(
        file="headwater/syncing/watchdog.py",
        old="        signal.setitimer(signal.ITIMER_PROF, allowance)\n",
        new="",
        tests=_WATCHDOG_TEST,
        why="native code that hangs keeps its source for ever",
    ),
    Mutation(
        file="headwater/parsing/sandbox/pool.py",
        old="            if is_reusable:\n",
        new="            if True:\n",
        tests=_PROCESS_TEST,
        why="a process that hangs or was taken over reads the next file",
    ),
    Mutation(
        file="headwater/confinement/process.py",
        old="**plain_environment(), **_ONE_THREAD",
        new="**os.environ, **_ONE_THREAD",
        tests=_PROCESS_TEST,
        why="a parser process inherits secrets",
    ),
    Mutation(
        file="headwater/confinement/child.py",
        old="    _limit(resource.RLIMIT_DATA, megabytes * _MEGABYTE)\n",
        new="",
        tests=_PROCESS_TEST,
        why="a file may take all memory",
    ),
    Mutation(
        file="headwater/confinement/child.py",
        old=" | os.O_ASYNC",
        new="",
        tests=_PROCESS_TEST,
        why="a process that hangs outlives a killed parent",
    ),
    Mutation(
        file="headwater/parsing/sandbox/protocol.py",
        old="    if value not in _MEDIA_TYPES:\n",
        new="    if False:\n",
        tests=("tests/unit/test_sandbox_protocol.py",),
        why="a process that was taken over chooses any media type",
    ),
    Mutation(
        file="headwater/parsing/sandbox/protocol.py",
        old="    if not _is_ordered(places.marks, length):\n",
        new="    if False:\n",
        tests=("tests/unit/test_sandbox_protocol.py",),
        why="places beyond the text are stored",
    ),
    Mutation(
        file=_ARCHIVES,
        old="total > _RATIO * length",
        new="total > _RATIO * _RATIO * length",
        tests=_ARCHIVES_TEST,
        why="a zip bomb is unpacked",
    ),
    Mutation(
        file=_ARCHIVES,
        old="    if is_longer:\n",
        new="    if False:\n",
        tests=_ARCHIVES_TEST,
        why="an entry may unpack to more than it declares",
    ),
    Mutation(
        file=_ARCHIVES,
        old="    if any(end > start for (_, end), (start, _) in pairwise(spans)):\n",
        new="    if False:\n",
        tests=_ARCHIVES_TEST,
        why="a thousand entries may share the same data",
    ),
    Mutation(
        file=_ARCHIVES,
        old=' or root.startswith(b"<!")',
        new="",
        tests=_ARCHIVES_TEST,
        why="XML in an office file may declare entities",
    ),
    Mutation(
        file="headwater/chunking/markdown_blocks.py",
        old='    if not visible or end < 0 or self.text.find("\\n", end + 1, offset) < 0:',
        new="    if not visible or end < 0:",
        tests=("tests/unit/test_chunking_markdown.py",),
        why="a chunk that begins at the rule of a table repeats the header",
    ),
    Mutation(
        file="headwater/parsing/opendocument/odf_sheets.py",
        old="            if cells_left < 0:\n",
        new="            if False:\n",
        tests=("tests/unit/test_parsing_opendocument.py",),
        why="a sheet may repeat one text in a million rows",
    ),
    Mutation(
        file="headwater/parsing/opendocument/odf_file.py",
        old='    | {f"{OFFICE}{name}" for name in ("annotation", ',
        new='    | {f"{OFFICE}{name}" for name in (',
        tests=("tests/unit/test_parsing_opendocument.py",),
        why="comments are for those who write a text",
    ),
)
