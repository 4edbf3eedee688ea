"""Mutations of what connectors may say and know, and of how originals are kept.

Belongs here: trust in "unchanged", and files that must not be lost, shown or kept for ever. Not here: reading what
connectors yield (`syncing`). Guarantee: each wrong change here was noticed by a test.
"""

from tests.mutations.mutation import Mutation

_KNOWN = "headwater/syncing/trusted_documents.py"
_DOCUMENTS = "headwater/syncing/documents.py"
_ORIGINALS = "headwater/store/content/originals.py"
_ASKING = ("tests/integration/test_conditional_requests.py",)
_KEEPING = ("tests/integration/test_originals.py",)
_OWNING = ("tests/integration/test_original_stores.py",)
_STORES = ("tests/unit/test_file_stores.py",)
_TOKENS = "headwater/sources/access_tokens.py"
_TREE = "headwater/sources/gdrive/drive_tree.py"
_DRIVE = ("tests/integration/test_gdrive.py",)
_LIBRARY = "headwater/sources/sharepoint/library_reader.py"
_SHAREPOINT = ("tests/integration/test_sharepoint.py",)

CONNECTING = (
    Mutation(
        file=_KNOWN,
        old=" and not old.is_removed",
        new="",
        tests=_ASKING,
        why="what vanished is taken for unchanged, and stays away",
    ),
    Mutation(
        file=_DOCUMENTS,
        old="        if item.uri not in trusted:\n            why",
        new="        if False:\n            why",
        tests=_ASKING,
        why="unchanged is believed of what was never read",
    ),
    Mutation(
        file=_DOCUMENTS,
        old="        validators[old.id] = item.validator, item.access\n",
        new="        pass\n",
        tests=_ASKING,
        why="a server that changes its ETags is asked for everything for ever",
    ),
    Mutation(
        file="headwater/store/content/documents.sql",
        old="SET fingerprint = excluded.fingerprint, validator = excluded.validator,",
        new="SET fingerprint = excluded.fingerprint,",
        tests=_ASKING,
        why="a document that changed is asked for by its old ETag",
    ),
    Mutation(
        file="headwater/store/content/documents.py",
        old="                share_originals(session)\n                keep_originals()\n",
        new="                share_originals(session)\n",
        tests=_KEEPING,
        why="a version refers to a file that was removed before it was written",
    ),
    Mutation(
        file=_ORIGINALS,
        old='    session.rows("lock_originals")\n',
        new="",
        tests=_KEEPING,
        why="a file is removed while a version that refers to it is written",
    ),
    Mutation(
        file=_ORIGINALS,
        old='if session.one("are_originals_kept")["are_kept"]:',
        new="if False:",
        tests=_KEEPING,
        why="a backup lacks files that its rows refer to",
    ),
    Mutation(
        file="headwater/store/content/originals.sql",
        old="\n WHERE NOT EXISTS (SELECT FROM document_versions v WHERE v.original_hash = t.hash)",
        new="",
        tests=_KEEPING,
        why="a file goes that another document refers to",
    ),
    Mutation(
        file="headwater/administration/original_access.py",
        old="if file.put_at < cutoff",
        new="if True",
        tests=_KEEPING,
        why="housekeeping removes what a sync has just put",
    ),
    Mutation(
        file="headwater/syncing/original_storage.py",
        old=" and job.files.exists(previous_original)",
        new="",
        tests=_KEEPING,
        why="a lost original never comes back",
    ),
    Mutation(
        file="cli/backup/original_files.py",
        old="content is None or hash_of(data) != member.name",
        new="content is None",
        tests=_KEEPING,
        why="a backup puts a file under another one's hash",
    ),
    Mutation(
        file="cli/backup/manifest.py",
        old='if "originals" in self.model_fields_set and self.members.originals is None:',
        new="if False:",
        tests=("tests/integration/test_backup_members.py",),
        why="a backup without its originals is restored",
    ),
    Mutation(
        file="headwater/files/file_store.py",
        old='re.compile(r"[0-9a-f]{64}")',
        new='re.compile(r".*")',
        tests=_STORES,
        why="something else than a hash names a file",
    ),
    Mutation(
        file="headwater/files/folder_store.py",
        old="[content]) as new_path:\n        new_path.replace(path)\n",
        new="[content]) as new_path:\n        path.write_bytes(content[:4])\n        new_path.replace(path)\n",
        tests=_STORES,
        why="half a file has a whole one's name",
    ),
    Mutation(
        file="headwater/files/remote_store.py",
        old='re.compile(r"//(.*:.*)@", re.DOTALL)',
        new='re.compile(r"//([^/@]*:[^/@]*)@", re.DOTALL)',
        tests=_STORES,
        why="a password with an @ or a / in it is shown",
    ),
    Mutation(
        file="headwater/files/remote_store.py",
        old='reason = reason.replace(secret, "***")',
        new="pass",
        tests=_STORES,
        why="an error shows the password of the file store",
    ),
    Mutation(
        file="headwater/files/remote_store.py",
        old="            raise error.__cause__ from None\n",
        new="            raise\n",
        tests=_STORES,
        why="a store that cannot be reached lacks every file",
    ),
    Mutation(
        file="headwater/syncing/store_owner.py",
        old="if owner is not None and owner != mine:",
        new="if False:",
        tests=_OWNING,
        why="a restored copy removes production's originals",
    ),
    Mutation(
        file="cli/backup/backup.py",
        old="originals.forget_owner()",
        new="pass",
        tests=_OWNING,
        why="a restored copy passes for the database that was backed up",
    ),
    Mutation(
        file="headwater/store/catalogue/deletions.py",
        old="with suppress(FilesUnavailableError):",
        new="with suppress():",
        tests=_OWNING,
        why="a file store that is away blocks every deletion",
    ),
    Mutation(
        file=_TREE,
        old="is_there = self._restore(key)",
        new="is_there = False",
        tests=_DRIVE,
        why="what Drive's list leaves out is removed unasked",
    ),
    Mutation(
        file=_TREE,
        old="or previous[key].parent in gone:",
        new="or False:",
        tests=_DRIVE,
        why="each file of a folder that is gone is asked for",
    ),
    Mutation(
        file="headwater/sources/gdrive/config.py",
        old=" if endpoint == _GOOGLE else",
        new=" if True else",
        tests=_DRIVE,
        why="a source's config decides which host gets a token for Google",
    ),
    Mutation(
        file="headwater/sources/source_context.py",
        old='if target.scheme != "https" and',
        new="if False and",
        tests=("tests/probe/test_fetching_drive.py", "tests/probe/test_fetching_graph.py"),
        why="a secret is sent without encryption",
    ),
    Mutation(
        file=_TOKENS,
        old="if response.status != HTTPStatus.UNAUTHORIZED or is_fresh:",
        new="if True:",
        tests=_DRIVE,
        why="a token that ended early ends the sync",
    ),
    Mutation(
        file="headwater/sources/json_api.py",
        old="if response.status != HTTPStatus.OK and urlsplit",
        new="if False and urlsplit",
        tests=_SHAREPOINT,
        why="a file that the host of downloads does not have counts as removed",
    ),
    Mutation(
        file="headwater/sources/json_api.py",
        old='_QUERY_PATTERN.sub("?…", str(error))',
        new="str(error)",
        tests=_SHAREPOINT,
        why="a message shows an address with which anybody can read a file",
    ),
    Mutation(
        file="headwater/sources/sharepoint/config.py",
        old="_LOGINS.get(self.api, self.api)",
        new="_LOGINS.get(self.api, 'https://login.microsoftonline.com')",
        tests=_SHAREPOINT,
        why="a source's config decides which host gets a token of Microsoft's",
    ),
    Mutation(
        file=_LIBRARY,
        old="if key in self._items or key in self._removed else",
        new="if True else",
        tests=_SHAREPOINT,
        why="what a library's list leaves out is removed unasked",
    ),
    Mutation(
        file=_LIBRARY,
        old="and self._find_top(key) != self._library.root:",
        new="and False:",
        tests=_SHAREPOINT,
        why="files of a folder that cannot be had now are removed",
    ),
    Mutation(
        file=_LIBRARY,
        old=" if key in paths or not self._is_removed(key)}",
        new="}",
        tests=_SHAREPOINT,
        why="a folder that was deleted is asked for by each sync",
    ),
    Mutation(
        file="headwater/sources/sharepoint/graph.py",
        old='text_member(hashes, "quickXorHash") or',
        new="'' or",
        tests=_SHAREPOINT,
        why="a change of what describes a file reads it again",
    ),
    Mutation(
        file="headwater/sources/sharepoint/site_pages.py",
        old="not is_published or",
        new="False or",
        tests=_SHAREPOINT,
        why="a page disappears while somebody edits it",
    ),
)
