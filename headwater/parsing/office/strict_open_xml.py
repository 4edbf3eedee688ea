"""Files of Strict Open XML, which Excel, Word and PowerPoint can save, as plain ones.

Belongs here: the names of ISO/IEC 29500 Strict, and how they become those of the files that everybody writes. Not here:
opening and checking files (`package`). Guarantee: only names change, and every text stays as it is.
"""

import re
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

_MAIN_RELATION = b"purl.oclc.org/ooxml/officeDocument/relationships/officeDocument"
_RELATIONS = "_rels/.rels"
# ISO/IEC 29500-1 and -4, Annex A: the namespaces of both conformance classes differ by the host and the year.
_STRICT_NAME = re.compile(rb"(?<==[\"'])http://purl\.oclc\.org/ooxml/(\w+)/(?=[\w/]+[\"'])")
_PLAIN_NAME = rb"http://schemas.openxmlformats.org/\1/2006/"


def is_strict(archive: ZipFile) -> bool:
    """Whether an office file is in Strict Open XML."""
    return _RELATIONS in archive.namelist() and _MAIN_RELATION in archive.read(_RELATIONS)


def rename_strict(archive: ZipFile) -> bytes:
    """The file with the names that libraries know.

    Args:
        archive: a file that was checked.
    """
    renamed = BytesIO()
    with ZipFile(renamed, "w", ZIP_DEFLATED, compresslevel=1) as plain_archive:
        for name in dict.fromkeys(archive.namelist()):  # a name that stands there twice is read once
            content = archive.read(name)
            is_xml = name.endswith((".xml", ".rels", ".vml"))
            plain_archive.writestr(name, _STRICT_NAME.sub(_PLAIN_NAME, content) if is_xml else content)
    return renamed.getvalue()
