"""Mutations of what keeps secrets, paths, backups and callers safe, and of what operators are told.

Belongs here: credentials, allowed folders and addresses, backups, exit statuses, events. Not here: anything that ranks.
"""

from tests.mutations.mutation import Mutation

_CREDENTIALS = "headwater/fetching/credentials.py"
_GIT = "headwater/fetching/git_repository.py"
_TREE = "headwater/sources/trees.py"
_TREE_TESTS = ("tests/unit/test_sources_markdown_tree.py",)
_HOSTS = ("tests/unit/test_credential_hosts.py",)

SAFETY = (
    # Uploads, originals and repeated requests.
    Mutation(
        file="headwater/store/content/originals.sql",
        old="\n   AND NOT EXISTS (SELECT FROM source_files f WHERE f.hash = t.hash)",
        new="",
        tests=("tests/integration/test_uploads.py::test_housekeeping_keeps_what_was_uploaded",),
        why="housekeeping removes files that were uploaded and not synced yet",
    ),
    Mutation(
        file="headwater/domain/uploads.py",
        old='if part in (".", ".."):',
        new='if part == ".":',
        tests=("tests/unit/test_upload_names.py",),
        why="the name of an upload leads out of its folder",
    ),
    Mutation(
        file="headwater/administration/uploads.py",
        old="if size > limit:",
        new="if size >= limit:",
        tests=("tests/integration/test_uploads.py::test_the_limit_is_the_last_size_that_passes",),
        why="a file of the largest size is refused",
    ),
    Mutation(
        file="query_api/routes/original_headers.py",
        old="_text(beginning), False\n",
        new="_text(beginning), True\n",
        tests=("tests/unit/test_original_headers.py",),
        why="a browser shows what it might run",
    ),
    Mutation(
        file="query_api/guards/idempotency.py",
        old="if kept is not None and kept.request_hash != asked:",
        new="if kept is None and asked is None:",
        tests=("tests/integration/test_idempotency.py",),
        why="another request with the same key gets the first one's response",
    ),
    # Credentials.
    Mutation(
        file=_CREDENTIALS,
        old="if allowed.lower() != host.lower():",
        new="if not host.lower().endswith(allowed.lower()):",
        tests=_HOSTS,
        why="a credential is sent to a host that ends like its own",
    ),
    Mutation(
        file=_CREDENTIALS,
        old="if allowed.lower() != host.lower():",
        new="if not host.lower().startswith(allowed.lower()):",
        tests=_HOSTS,
        why="a credential is sent to another port, or a host that begins like its own",
    ),
    Mutation(
        file=_CREDENTIALS,
        old='self.basic.removeprefix("Basic "), self.secret, ',
        new="self.secret, ",
        tests=_HOSTS,
        why="a message repeats the secret as it was sent",
    ),
    Mutation(
        file=_CREDENTIALS,
        old='self.secret, self.secret.partition(":")[2])',
        new="self.secret)",
        tests=_HOSTS,
        why="a message repeats the password without its user",
    ),
    Mutation(
        file=_CREDENTIALS,
        old="secret: str = field(repr=False)",
        new="secret: str = field(repr=True)",
        tests=_HOSTS,
        why="a credential shows its secret in a repr",
    ),
    Mutation(
        file=_GIT,
        old='"http.followRedirects": "false"',
        new='"http.followRedirects": "true"',
        tests=("tests/integration/test_credentials.py::test_a_redirect_does_not_take_it_along",),
        why="a redirect takes the credential along",
    ),
    # Addresses and paths.
    Mutation(
        file="headwater/fetching/git_urls.py",
        old='parts.scheme == "https" and',
        new='parts.scheme in ("https", "http") and',
        tests=("tests/unit/test_sources_git.py",),
        why="an unencrypted repository is fetched from",
    ),
    Mutation(
        file=_GIT,
        old='"GIT_ALLOW_PROTOCOL": "https:file"',
        new='"GIT_ALLOW_PROTOCOL": "https:file:http"',
        tests=_HOSTS,
        why="git itself would speak another protocol",
    ),
    Mutation(
        file="headwater/sources/source_context.py",
        old="resolved.is_relative_to(folder)",
        new="str(resolved).startswith(str(folder))",
        tests=("tests/unit/test_local_paths.py",),
        why="a folder whose name begins like an allowed one is read",
    ),
    Mutation(
        file="headwater/sources/source_context.py",
        old="resolved = path.expanduser().resolve()",
        new="resolved = path.expanduser().absolute()",
        tests=("tests/unit/test_local_paths.py",),
        why="a link leads out of the allowed folders",
    ),
    Mutation(
        file="headwater/sources/tree_files.py",
        old="link.resolve().is_relative_to(root)",
        new="str(link.resolve()).startswith(str(root))",
        tests=("tests/unit/test_local_paths.py",),
        why="a link leads into a folder whose name begins like the tree's",
    ),
    Mutation(
        file=_TREE,
        old="self.context.local(local)",
        new="pass",
        tests=("tests/unit/test_sources_git.py::test_only_allowed_repositories_are_read",),
        why="a local repository outside the allowed folders is read",
    ),
    Mutation(
        file=_TREE,
        old="if size > largest:",
        new="if size > 100 * largest:",
        tests=_TREE_TESTS,
        why="a file of any size is read",
    ),
    Mutation(
        file="headwater/parsing/markdown/parser.py",
        old='return None if target.startswith("../") or',
        new="return None if",
        tests=("tests/unit/test_parsing_markdown.py",),
        why="a link leads out of its source",
    ),
    Mutation(
        file="headwater/syncing/source_folders.py",
        old="if path.name.isdecimal()}",
        new="if path.name[:1].isdecimal()}",
        tests=("tests/unit/test_local_paths.py",),
        why="a folder that only begins with a number is taken for a source's",
    ),
    # Backups.
    Mutation(
        file="cli/backup/manifest.py",
        old="folders: Part = Field(alias=FOLDERS)",
        new="folders: Part | None = Field(default=None, alias=FOLDERS)",
        tests=("tests/integration/test_backup_members.py",),
        why="a backup without its folders is restored",
    ),
    Mutation(
        file="cli/backup/manifest.py",
        old="theirs: Part = Field(alias=THEIRS)",
        new="theirs: Part | None = Field(default=None, alias=THEIRS)",
        tests=("tests/integration/test_backup_members.py",),
        why="a backup without Dagster's database is restored",
    ),
    Mutation(
        file="cli/backup/manifest.py",
        old="ours: Part = Field(alias=OURS)",
        new="ours: Part | None = Field(default=None, alias=OURS)",
        tests=("tests/integration/test_backup_members.py",),
        why="a backup without our database is restored",
    ),
    Mutation(
        file="cli/backup/archive.py",
        old='digest.hexdigest() != expected["sha256"]',
        new="False",
        tests=("tests/integration/test_backup.py::test_a_damaged_file_is_refused_before_anything_is_made",),
        why="a damaged backup is restored",
    ),
    Mutation(
        file="headwater/store/server/dump_restore.py",
        old="loading.loaded.get(table, 0) != expected:",
        new="False:",
        tests=("tests/integration/test_backup.py::test_rows_that_are_missing_after_a_restore_are_noticed",),
        why="missing rows are not noticed",
    ),
    Mutation(
        file="cli/backup/backup.py",
        old="        new_path.replace(file)",
        new="        new_path.chmod(0o644)\n        new_path.replace(file)",
        tests=("tests/integration/test_backup_members.py",),
        why="everyone may read a backup",
    ),
    Mutation(
        file="query_api/server/stream_loop.py",
        old="if now - self.read > _STALLED_SECONDS or",
        new="if",
        tests=("tests/unit/test_stream_loop.py::test_a_client_that_never_reads_is_given_up",),
        why="a client that never reads keeps its stream for ever",
    ),
    Mutation(
        file="query_api/server/stream_loop.py",
        old="            if is_whole is None:\n                reader.is_busy = False\n            else:\n",
        new="            reader.is_busy = False\n            if is_whole is not None:\n",
        tests=("tests/unit/test_stream_loop.py::test_a_reader_that_has_ended_gets_no_other_turn",),
        why="a reader that has ended gets another turn, and its connection loses its next stream",
    ),
    Mutation(
        file="query_api/server/stream_loop.py",
        old="while not self.wire.unsent and size < _MAX_BYTES:",
        new="while True:",
        tests=("tests/unit/test_stream_loop.py::test_nothing_is_taken_for_a_client_that_does_not_read",),
        why="a client that does not read fills the memory",
    ),
    # What operators and callers are told.
    Mutation(
        file="query_api/routes/sync_events.py",
        old='name="done" if is_over else "progress"',
        new='name="progress"',
        tests=("tests/integration/test_being_told.py",),
        why="a stream of events never says done",
    ),
    Mutation(
        file="query_api/routes/sync_events.py",
        old='ServerEvent(name="done", data="null")',
        new='ServerEvent(name="progress", data="null")',
        tests=("tests/integration/test_being_told.py",),
        why="a stream about what was deleted never says done",
    ),
    Mutation(
        file="query_api/sse.py",
        old="                if count and not stays:\n                    return\n",
        new="",
        tests=("tests/unit/test_sse.py",),
        why="a stream too many stays open and takes a thread",
    ),
    Mutation(
        file="query_api/sse.py",
        old="                self._places.release()",
        new="                pass",
        tests=("tests/unit/test_sse.py",),
        why="a stream that was left keeps its place for ever",
    ),
    Mutation(
        file="query_api/sse.py",
        old="now - last_sent > _KEEP_ALIVE",
        new="now - last_sent > _MAX_STREAM_SECONDS",
        tests=("tests/unit/test_sse.py",),
        why="a quiet stream is not kept alive",
    ),
    Mutation(
        file="cli/commands/doctor.py",
        old='if any(check["state"] == "failed" for check in checks):',
        new='if all(check["state"] == "failed" for check in checks):',
        tests=("tests/integration/test_being_told.py",),
        why="doctor exits with 0 though something failed",
    ),
    Mutation(
        file="cli/commands/doctor.py",
        old='if any(check["state"] == "failed" for check in checks):',
        new='if any(check["state"] != "ok" for check in checks):',
        tests=("tests/integration/test_being_told.py",),
        why="doctor fails over a warning",
    ),
    Mutation(
        file="headwater/store/work/answers.py",
        old="if not row_count:",
        new="if False:",
        tests=("tests/integration/test_deletions.py::test_an_answer_made_meanwhile_is_not_kept",),
        why="an answer is kept that cites what is gone",
    ),
    Mutation(
        file="headwater/sources/fetched_files.py",
        old="if media_type_of(content, name) in _PAGE_TYPES:",
        new="if False:",
        tests=("tests/unit/test_fetched_files.py::test_a_web_page_instead_of_a_file_is_refused",),
        why="a page to sign in is stored as the file",
    ),
    Mutation(
        file="headwater/sources/gdrive/document.py",
        old='    require_file(content, f"{path}{ending}", 0 if ending else file.size)\n',
        new="",
        tests=("tests/integration/test_gdrive.py::test_a_page_to_sign_in_is_no_file",),
        why="a page to sign in is stored as a file of Drive",
    ),
)
