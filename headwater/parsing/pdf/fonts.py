"""The fonts of a page, as far as the layout needs them.

Belongs here: what a font's name, flags and space say about it. Not here: which characters it shows, which PDFium says.
Guarantee: every font has a face, also one without a name.
"""

import re

_BOLD = re.compile(r"bold|black|heavy|demi(?!ta)|cmbx|cmssbx|sfbx|[-,]bd|-b$", re.IGNORECASE)
_MONO = re.compile(r"mono|courier|consol|typewriter|cmtt|sftt|menlo|fixed", re.IGNORECASE)
_FIXED_PITCH, _FORCE_BOLD = 1, 1 << 18
_WORD_GAP = 0.55  # of a space: the least gap between words


class FontFace:
    """A font, as far as reading needs it."""

    def __init__(self, name: str, *, flags: int = 0, space: float = 0.0) -> None:
        """Judge a font.

        Args:
            name: as the file writes it.
            flags: of its descriptor.
            space: the width of its space, in sizes; 0 if unknown.
        """
        self.is_bold = bool(_BOLD.search(name)) or bool(flags & _FORCE_BOLD)
        self.is_mono = bool(flags & _FIXED_PITCH) or bool(_MONO.search(name))
        self.word_gap = min(0.3, max(0.1, _WORD_GAP * (space or 0.25)))
