"""Mutations of folders of any files: their types, what is read again, and what may grow.

Belongs here: sniffing, kind folder, bounds of the formats that it reads, adding by address. Not here: git, trees of
markdown (`safety`).
"""

from tests.mutations.mutation import Mutation

_FOLDER = ("tests/unit/test_sources_folder.py",)
_SNIFFING = ("tests/unit/test_file_types.py",)
_RST = ("tests/unit/test_parsing_rst.py",)
_FORMATS = ("tests/unit/test_parsing_formats.py",)

FOLDERS = (
    Mutation(
        file="headwater/sources/trees.py",
        old="is_settled = status.st_mtime + tick <= time.time()",
        new="is_settled = True",
        tests=_FOLDER,
        why="a file that changes twice within the clock's step keeps its first text",
    ),
    Mutation(
        file="headwater/sources/trees.py",
        old="time.sleep(missing)",
        new="pass",
        tests=_FOLDER,
        why="the second sync of files that were just written writes",
    ),
    Mutation(
        file="headwater/sources/folder.py",
        old="known_state.validator == file.stamp",
        new="known_state.validator",
        tests=_FOLDER,
        why="a changed file is not read again",
    ),
    Mutation(
        file="headwater/sources/folder.py",
        old="check_size(file.size, self._largest(parser))",
        new="pass",
        tests=_FOLDER,
        why="a file of any size is read",
    ),
    Mutation(
        file="headwater/fetching/credentials.py",
        old="    if host:\n        raise",
        new="    if False:\n        raise",
        tests=_FOLDER,
        why="a secret for a host is tried on files",
    ),
    Mutation(
        file="headwater/parsing/registry.py",
        old="if any(is_told_by_bytes(name) for name in parser.media_types):",
        new="if False:",
        tests=("tests/unit/test_parser_choice.py",),
        why="a file is read as a format that its bytes exclude, because of its name",
    ),
    Mutation(
        file="headwater/parsing/signatures.py",
        old="any(name.startswith(entry_name) for name in names)",
        new="any(entry_name in name for name in names)",
        tests=_SNIFFING,
        why="an archive with an office file within is taken for one",
    ),
    Mutation(
        file="headwater/parsing/rst/parser.py",
        old='"file_insertion_enabled": False',
        new='"file_insertion_enabled": True',
        tests=_RST,
        why="a document includes files of the machine",
    ),
    Mutation(
        file="headwater/parsing/rst/parser.py",
        old="if grown > _MAX_SUBSTITUTIONS:",
        new="if grown > 10**30:",
        tests=_RST,
        why="substitutions that hold each other grow without bound",
    ),
    Mutation(
        file="headwater/administration/sources.py",
        old="_check_path(settings, address.path)",
        new="pass",
        tests=("tests/unit/test_source_kind.py",),
        why="an address tells what is outside the allowed folders",
    ),
)
