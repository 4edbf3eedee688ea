"""The kind of source that an address means."""

from pathlib import Path
from typing import Any

import pytest

from headwater.administration.sources import NewAddress, guess_address
from headwater.errors import InvalidConfigurationError
from headwater.settings import Settings
from headwater.sources.guesses import Address
from headwater.sources.page_guesses import guess_file, guess_website
from headwater.sources.source_kind import slug_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with things to add."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A")
    (tmp_path / "lines.jsonl").write_text('{"uri": "a", "text": "b"}\n')
    (tmp_path / "pump-openapi.yaml").write_text("openapi: 3.0.0")
    (tmp_path / "old.mbox").write_text("From a@b.c\n")
    for name in ("cur", "new", "tmp"):
        (tmp_path / "Maildir" / name).mkdir(parents=True)
    (tmp_path / "bare.git" / "objects").mkdir(parents=True)
    (tmp_path / "bare.git" / "HEAD").write_text("ref: refs/heads/main\n")
    return tmp_path


def guess(folder: Path, text: str, **chosen: Any) -> tuple[str, dict[str, Any], str]:
    """The kind, the config and the slug for an address; the folder's name is left out."""
    settings = Settings(home=folder / "home", cache=folder / "cache")
    found, config = guess_address(settings, NewAddress(text=text, base=folder, **chosen))
    short = {
        name: value.replace(f"{folder}/", "") if isinstance(value, str) else value for name, value in config.items()
    }
    return found.kind, short, slug_of(found.guess.slug)


@pytest.mark.parametrize(
    ("text", "kind", "config", "slug"),
    [
        ("docs", "folder", {"path": "docs"}, "docs"),
        ("./docs/", "folder", {"path": "docs"}, "docs"),
        ("docs/a.md", "folder", {"path": "docs/a.md"}, "a"),
        ("lines.jsonl", "jsonl", {"path": "lines.jsonl"}, "lines"),
        ("bare.git", "codebase", {"git": "bare.git"}, "bare"),
        ("https://github.com/o/My_Repo", "codebase", {"git": "https://github.com/o/My_Repo"}, "my-repo"),
        ("github.com/o/r", "codebase", {"git": "https://github.com/o/r"}, "r"),
        ("https://git.example.org/a/b/c.git", "codebase", {"git": "https://git.example.org/a/b/c.git"}, "c"),
        (
            "https://youtu.be/dQw4w9WgXcQ?t=9",
            "video",
            {"url": "https://www.youtube.com/watch?v=dQw4w9WgXcQ"},
            "video-dqw4w9wgxcq",
        ),
        (
            "youtube.com/playlist?list=PL12",
            "video",
            {"url": "https://youtube.com/playlist?list=PL12"},
            "playlist-pl12",
        ),
        ("https://www.youtube.com/@mills/videos", "video", {"url": "https://www.youtube.com/@mills/videos"}, "mills"),
        ("https://www.youtube.com/channel/UC1", "video", {"url": "https://www.youtube.com/channel/UC1"}, "uc1"),
        ("https://www.youtube.com/about/", "website", {"url": "https://www.youtube.com/about/"}, "youtube-com-about"),
        ("https://scrapbox.io/help-jp/", "cosense", {"project": "https://scrapbox.io/help-jp"}, "help-jp"),
        ("cosen.se/mill/Pump", "cosense", {"project": "https://cosen.se/mill"}, "mill"),
        ("old.mbox", "imap", {"path": "old.mbox"}, "old"),
        ("Maildir", "imap", {"path": "Maildir"}, "maildir"),
        ("s3://docs/manual/", "bucket", {"url": "s3://docs/manual/"}, "docs-manual"),
        ("az://mill/docs/", "bucket", {"url": "az://mill/docs/"}, "docs"),
        (
            "https://docs.s3.eu-west-1.amazonaws.com/manual/",
            "bucket",
            {"url": "s3://docs/manual/", "region": "eu-west-1"},
            "docs-manual",
        ),
        ("https://storage.googleapis.com/docs/", "bucket", {"url": "gs://docs/"}, "docs"),
        ("https://mill.blob.core.windows.net/docs/a/", "bucket", {"url": "az://mill/docs/a/"}, "docs-a"),
        (
            "https://docs.s3.amazonaws.com/a.pdf",
            "files",
            {"files": [{"url": "https://docs.s3.amazonaws.com/a.pdf"}]},
            "a",
        ),
        (
            "https://api.example.com/v3/api-docs",
            "openapi",
            {"url": "https://api.example.com/v3/api-docs"},
            "api-example-com-api",
        ),
        ("pump-openapi.yaml", "openapi", {"path": "pump-openapi.yaml"}, "pump-openapi"),
        (
            "https://wiki.example.com/index.php/Main_Page",
            "mediawiki",
            {"url": "https://wiki.example.com/index.php/Main_Page"},
            "wiki-example-com-wiki",
        ),
        (
            "https://mill.atlassian.net/wiki/spaces/ENG/pages/12/Oil+the+valve",
            "confluence",
            {"url": "https://mill.atlassian.net/wiki/spaces/ENG/pages/12/Oil+the+valve"},
            "mill-eng",
        ),
        ("https://mill.atlassian.net/wiki", "confluence", {"url": "https://mill.atlassian.net/wiki"}, "mill-wiki"),
        (
            "https://docs.mill.org/c/display/OPS/Start",
            "confluence",
            {"url": "https://docs.mill.org/c/display/OPS/Start"},
            "docs-mill-org-ops",
        ),
        (
            "https://docs.mill.org/pages/viewpage.action?pageId=7",
            "confluence",
            {"url": "https://docs.mill.org"},
            "docs-mill-org-wiki",
        ),
        (
            "https://mill.atlassian.net/browse/ENG-12",
            "jira",
            {"url": "https://mill.atlassian.net/browse/ENG-12"},
            "mill-eng",
        ),
        (
            "https://mill.atlassian.net/jira/software/c/projects/OPS/boards/3",
            "jira",
            {"url": "https://mill.atlassian.net/jira/software/c/projects/OPS/boards/3"},
            "mill-ops",
        ),
        (
            "https://issues.mill.org/jira/browse/ENG-12",
            "jira",
            {"url": "https://issues.mill.org/jira/browse/ENG-12"},
            "issues-mill-org-eng",
        ),
        (
            "https://mill.slack.com/archives/C024BE91L/p1780000060000001",
            "slack",
            {"url": "https://mill.slack.com/archives/C024BE91L/p1780000060000001"},
            "mill-c024be91l",
        ),
        (
            "https://gitlab.com/mill/sub/pumps/-/issues/12",
            "gitlab",
            {"url": "https://gitlab.com/mill/sub/pumps/-/issues/12", "read": ["issues"]},
            "pumps-issues",
        ),
        (
            "https://git.mill.org/groups/mill/-/merge_requests",
            "gitlab",
            {"url": "https://git.mill.org/groups/mill/-/merge_requests", "read": ["merge_requests"]},
            "mill-merge-requests",
        ),
        (
            "https://gitlab.com/mill/pumps/-/wikis/home",
            "gitlab",
            {"url": "https://gitlab.com/mill/pumps/-/wikis/home", "read": ["wiki"]},
            "pumps-wiki",
        ),
        (
            "https://cloud.mill.org/remote.php/dav/files/ann/Manuals/",
            "webdav",
            {"url": "https://cloud.mill.org/remote.php/dav/files/ann/Manuals/"},
            "cloud-mill-org-manuals",
        ),
        (
            "https://mill.sharepoint.com/sites/Team/Shared%20Documents/Forms/AllItems.aspx?id=%2Fsites%2FTeam%2FDocs%2FOil",
            "sharepoint",
            {
                "url": "https://mill.sharepoint.com/sites/Team/Shared%20Documents/Forms/AllItems.aspx"
                "?id=%2Fsites%2FTeam%2FDocs%2FOil"
            },
            "mill-oil",
        ),
        ("https://mill.sharepoint.com", "sharepoint", {"url": "https://mill.sharepoint.com"}, "mill-sharepoint"),
        (
            "https://drive.google.com/drive/u/1/folders/1AbCdEfGhIjKlMnOp?usp=sharing",
            "gdrive",
            {"url": "https://drive.google.com/drive/u/1/folders/1AbCdEfGhIjKlMnOp?usp=sharing"},
            "google-drive",
        ),
        (
            "https://drive.google.com/drive/shared-with-me",
            "gdrive",
            {"url": "https://drive.google.com/drive/shared-with-me"},
            "google-drive",
        ),
        ("https://www.notion.so/mill/Oil-59833787", "notion", {}, "notion"),
        (
            "https://en.wikipedia.org/wiki/Pump",
            "website",
            {"url": "https://en.wikipedia.org/wiki/Pump"},
            "en-wikipedia-org-pump",
        ),
        ("https://scrapbox.io/", "website", {"url": "https://scrapbox.io/"}, "scrapbox-io"),
        (
            "https://github.com/o/r/tree/main/docs/guides",
            "folder",
            {"git": "https://github.com/o/r", "branch": "main", "path": "docs/guides"},
            "r",
        ),
        (
            "https://gitlab.com/g/s/r/-/tree/v2/docs/",
            "folder",
            {"git": "https://gitlab.com/g/s/r", "branch": "v2", "path": "docs"},
            "r",
        ),
        (
            "https://github.com/o/r/blob/main/docs/a.pdf",
            "folder",
            {"git": "https://github.com/o/r", "branch": "main", "path": "docs", "include": ["/a.pdf"]},
            "r-a",
        ),
    ],
)
def test_an_address_tells_its_kind(folder: Path, text: str, kind: str, config: dict[str, Any], slug: str) -> None:
    """Folders, files, repositories and folders of repositories; nothing is fetched."""
    assert guess(folder, text) == (kind, config, slug)


def test_a_named_kind_reads_an_address_that_it_does_not_recognise(folder: Path) -> None:
    """A wiki on a server of one's own: its address goes into the field that takes one."""
    found = guess(folder, "https://wiki.example.org/mill", kind="cosense")
    assert found == ("cosense", {"project": "https://wiki.example.org/mill"}, "mill")
    assert guess(folder, "http://127.0.0.1:8017/mill/Pump", kind="cosense")[2] == "mill"
    assert guess(folder, "https://wiki.example.org/", kind="mediawiki")[2] == "wiki-example-org"


def test_a_mail_server_needs_a_credential(folder: Path) -> None:
    """The error names the field; with it, the source is made."""
    with pytest.raises(InvalidConfigurationError, match=r"a url needs a credential.*app password"):
        guess(folder, "imaps://mail.example.com")
    found = guess(folder, "IMAP://mail.example.com:1143/", fields={"credential": "mail"})
    assert found == ("imap", {"url": "imap://mail.example.com:1143", "credential": "mail"}, "mail")


def test_a_database_needs_a_query(folder: Path) -> None:
    """The guess says what to give; with it, the source is made."""
    (folder / "shop.db").write_bytes(b"SQLite format 3\0")
    with pytest.raises(InvalidConfigurationError, match="query"):
        guess(folder, "shop.db")
    fields = {"query": "select id, body from faq", "key": "id"}
    assert guess(folder, "shop.db", fields=fields) == ("sql", {"path": "shop.db", **fields}, "shop")
    with pytest.raises(InvalidConfigurationError, match="give either a credential"):
        guess(folder, "postgresql://db.example.com/shop", fields=fields)


def test_a_named_kind_is_taken(folder: Path) -> None:
    """Only its fields are guessed, and given ones go before."""
    found = guess(folder, "docs", kind="markdown_tree")
    assert found == ("markdown_tree", {"path": "docs"}, "docs")
    assert guess(folder, "docs", fields={"include": ["*.md"]})[1] == {"path": "docs", "include": ["*.md"]}


@pytest.mark.parametrize(
    ("text", "chosen", "message"),
    [
        ("nothing-here", {}, "There is no file or folder"),
        ("https://github.com/o/r/issues", {"kind": "jsonl"}, "url: there is no such field"),
        ("git@github.com:o/r.git", {}, "https:// address"),
        ("https://user:secret@github.com/o/r", {}, "no user name"),
        ("", {}, "must be a path"),
        ("file:///etc/passwd", {}, "must not begin with file:"),
        ("docs", {"kind": "fodler"}, "no kind of source 'fodler'"),
        ("docs", {"fields": {"inclde": []}}, "inclde"),
        ("docs", {"fields": {"refresh": "often"}}, "refresh"),
        ("https://docs.google.com/document/d/1AbCdEfGhIjKlMnOp/edit?tab=t.0", {}, "of one file, name its folder"),
        ("https://drive.google.com/file/d/1AbCdEfGhIjKlMnOp/view?usp=sharing", {}, "of one file, name its folder"),
        (
            "https://mill.sharepoint.com/:x:/r/sites/T/Docs/a.xlsx?d=w",
            {},
            "one file; open the folder that the file is in",
        ),
    ],
)
def test_what_cannot_be_added_is_said(folder: Path, text: str, chosen: dict[str, Any], message: str) -> None:
    """The message names what is wrong, and never repeats a password."""
    with pytest.raises(InvalidConfigurationError, match=message) as caught:
        guess(folder, text, **chosen)
    assert "secret" not in str(caught.value)


def test_only_allowed_folders_are_looked_at(folder: Path) -> None:
    """An address does not tell what is elsewhere on the machine (SEC-1)."""
    settings = Settings(home=folder, cache=folder, local_paths=(folder / "docs",))
    for text in (str(folder / "lines.jsonl"), str(folder / "missing")):
        with pytest.raises(InvalidConfigurationError, match="HEADWATER_LOCAL_PATHS"):
            guess_address(settings, NewAddress(text=text))
    with pytest.raises(InvalidConfigurationError, match="absolute path"):
        guess_address(settings, NewAddress(text="docs"))


@pytest.mark.parametrize(
    ("text", "words", "slug"),
    [
        ("https://www.example.org", "all pages of example.org", "example-org"),
        ("https://example.org/docs/v2/", "all pages of example.org below /docs/v2/", "example-org-docs-v2"),
        ("https://example.org/a.html", "one page of example.org; end its address with", "example-org-a"),
        ("https://example.org/sitemap_index.xml.gz", "the pages that the sitemap of example.org lists", "example-org"),
        ("https://example.org/blog/feed/", "the pages that a feed of example.org lists", "example-org-feed"),
    ],
)
def test_an_address_of_a_website_tells_how_it_is_read(text: str, words: str, slug: str) -> None:
    """All pages below an address that ends with a slash, those of a sitemap or feed, or one page (SRC-1)."""
    found = guess_website(Address.of(text))
    assert found is not None
    assert found.words.startswith(words)
    assert (found.config, slug_of(found.slug)) == ({"url": text}, slug)


def test_a_file_on_a_server_is_not_taken_for_a_page() -> None:
    """Its name tells it, and it wins over a website; a page is no file (SRC-3)."""
    address = Address.of("https://example.org/x/Annual%20Report.PDF?v=1")
    found, website = guess_file(address), guess_website(address)
    assert found is not None
    assert website is not None
    assert found.score > website.score
    assert (found.config, slug_of(found.slug)) == ({"files": [{"url": address.text}]}, "annual-report")
    assert guess_file(Address.of("https://example.org/a.html")) is None
