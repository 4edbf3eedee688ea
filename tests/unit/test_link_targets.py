"""What a link may mean within its source."""

import pytest

from headwater.linking.references import link_target


@pytest.mark.parametrize(
    ("link", "uri", "target", "anchor"),
    [
        ("install.md", "docs/guide.md", "docs/install.md", ""),
        ("../setup.md#First%20Steps", "docs/guide.md", "setup.md", "first steps"),
        ("#Usage", "docs/guide.md", "docs/guide.md", "usage"),
        ("/install.md", "docs/guide.md", "install.md", ""),
        ("my%20page.md", "guide.md", "my page.md", ""),
        ("/b#top", "https://example.org/docs/a", "https://example.org/b", "top"),
        ("c?d=1", "https://example.org/docs/a", "https://example.org/docs/c?d=1", ""),
    ],
)
def test_links_within_the_source(link: str, uri: str, target: str, anchor: str) -> None:
    """They are relative to their document; the likeliest meaning comes first."""
    found = link_target(link, uri)
    assert found is not None
    assert (found.uris[0], found.anchor) == (target, anchor)


def test_a_slash_may_begin_in_any_folder_above() -> None:
    """Which one is a site's root, only the site knows; the widest comes first."""
    found = link_target("/install.md", "site/docs/guide.md")
    assert found is not None
    assert [uri for uri in found.uris if uri.endswith("/install.md") or uri == "install.md"] == [
        "install.md",
        "site/install.md",
        "site/docs/install.md",
    ]


def test_what_documentation_tools_leave_out_is_tried() -> None:
    """A page without an ending is a file, or the first page of a folder."""
    target = link_target("./how-tos/", "docs/a.md")
    assert target is not None
    assert {"docs/how-tos.md", "docs/how-tos.mdx", "docs/how-tos/index.md", "docs/how-tos/README.md"} <= {*target.uris}


@pytest.mark.parametrize(
    "link", ["https://example.org/a.md", "mailto:a@example.org", "../../out.md", "#", "", "http://[::1"]
)
def test_links_out_of_the_source_lead_nowhere(link: str) -> None:
    """So do those that name nothing, or cannot be read."""
    assert link_target(link, "docs/a.md") is None
