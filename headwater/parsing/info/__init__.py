"""Info files, which makeinfo makes of Texinfo manuals."""
