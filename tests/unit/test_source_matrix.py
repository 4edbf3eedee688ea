"""What the pages say of tested kinds of services is what the tests are (SRC-23).

Belongs here: which test shows what for which kind. Not here: these tests. Guarantee: each test that is named is there,
and the table of docs/sources.md has a tick exactly where one is named.
"""

import ast
import re
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_TESTS = _ROOT / "tests" / "integration"
_FEW, _LEFT_OUT, _BUSY = (
    "test_requests_are_few", "test_what_a_list_leaves_out_is_asked_for", "test_a_busy_server_is_waited_for"
)  # fmt: skip
_TOKEN, _HALF = "test_a_token_that_ends_in_the_middle_loses_nothing", "half_lists.test_half_a_list_asks_first"
_MATRIX = {
    "`bucket`, S3": (
        "thousand_items.test_bucket", "bucket.test_a_busy_bucket_is_waited_for", f"bucket.{_TOKEN}",
        "bucket.test_exactly_what_changed_is_touched",
    ),
    "`bucket`, Azure": (
        "thousand_items.test_azure", "thousand_items.test_azure",
        "thousand_items.test_a_key_of_azure_that_ends_in_the_middle_loses_nothing", _HALF,
    ),
    "`sql`": ("thousand_items.test_sql", "", "half_lists.test_a_database_that_breaks_off_changes_nothing", _HALF),
    "`confluence`": (
        "thousand_items.test_confluence", f"confluence.{_BUSY}", f"confluence.{_TOKEN}", f"confluence.{_LEFT_OUT}",
    ),
    "`jira`": ("thousand_items.test_jira", f"jira.{_BUSY}", f"jira.{_TOKEN}", f"jira.{_LEFT_OUT}"),
    "`notion`": (
        "thousand_items.test_notion", f"notion.{_BUSY}",
        "notion.test_a_secret_that_ends_in_the_middle_loses_nothing", f"notion.{_LEFT_OUT}",
    ),
    "`imap`": (
        "thousand_items.test_imap", "imap.test_a_server_that_closes_the_connection_is_asked_again",
        "imap.test_a_password_that_ends_in_the_middle_loses_nothing",
        "imap.test_what_a_list_leaves_out_is_not_gone",
    ),
    "`imap`, mbox and Maildir": ("thousand_items.test_local_mailbox", "", "", _HALF),
    "`mediawiki`": (
        "mediawiki.test_two_hundred_pages_of_a_wiki", "mediawiki.test_a_busy_wiki_is_waited_for",
        "mediawiki.test_a_session_that_ends_in_the_middle_loses_nothing", f"mediawiki.{_LEFT_OUT}",
    ),
    "`openapi`": (
        "thousand_items.test_openapi", f"openapi_sources.{_BUSY}",
        "openapi_sources.test_a_credential_that_ends_loses_nothing", _HALF,
    ),
    "`gitlab`": (f"gitlab.{_FEW}", f"gitlab.{_BUSY}", f"gitlab.{_TOKEN}", f"gitlab.{_LEFT_OUT}"),
    "`webdav`": (
        "webdav.test_a_thousand_files_of_a_plain_server",
        "webdav.test_a_password_that_ends_in_the_middle_loses_nothing",
        "webdav.test_a_password_that_ends_in_the_middle_loses_nothing", f"webdav.{_LEFT_OUT}",
    ),
    "`sharepoint`": (
        f"sharepoint.{_FEW}", "sharepoint.test_an_app_that_is_refused_in_the_middle_loses_nothing",
        "sharepoint.test_an_app_that_is_refused_in_the_middle_loses_nothing", f"sharepoint.{_LEFT_OUT}",
    ),
    "`gdrive`": (
        f"gdrive.{_FEW}", "gdrive.test_limits_are_waited_for", "gdrive.test_a_sync_that_was_interrupted_goes_on",
        f"gdrive.{_LEFT_OUT}",
    ),
    "`slack`": (f"slack.{_FEW}", f"slack.{_TOKEN}", f"slack.{_TOKEN}", f"slack.{_LEFT_OUT}"),
}  # fmt: skip
"""The tests of each row: 1,000 items, busy, ends in the middle, half a list; empty where there is none."""


def test_each_test_that_is_named_is_there() -> None:
    """By its module and its function."""
    named = {name for row in _MATRIX.values() for name in row if name}
    written = {
        f"{module}.{node.name}"
        for module in {name.partition(".")[0] for name in named}
        for node in ast.parse((_TESTS / f"test_{module}.py").read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }
    assert named <= written


def test_the_page_ticks_what_is_tested() -> None:
    """Row by row; a dash stands where there is no test."""
    page = (_ROOT / "docs" / "sources.md").read_text("utf-8")
    section = page.partition("## What each kind was tested against")[2].partition("\n## ")[0]
    rows = [re.split(r" ?\| ?", line.strip("| ")) for line in section.splitlines() if line.startswith("| `")]
    ticks = {kind: tuple(cells) for kind, _, *cells in rows}
    assert ticks == {kind: tuple("✓" if name else "–" for name in tests) for kind, tests in _MATRIX.items()}
