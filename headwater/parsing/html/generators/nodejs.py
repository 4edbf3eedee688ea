"""Pages of Node.js's documentation: where its content is, and the versions of a method.

Belongs here: the element of the content, and lines of versions. Not here: lists of links on any page (`page_frame`).
Guarantee: a page without the element that holds the documentation's content stays as it is.
"""

from typing import Any

from headwater.parsing.html.generators.page_elements import find_class


def restore_nodejs(tree: Any) -> None:
    """Mark the content, around which there are only menus, and divide what stands in one line."""
    content = tree.find(".//div[@id='apicontent']")
    if content is None or tree.find(".//div[@id='column1']") is None:
        return
    content.tag = "main"
    for versions in list(find_class(tree, "api_metadata")):
        for version in versions.findall("span"):
            if version.getnext() is not None and version.getnext().tag == "span":
                version.tail = "; "
