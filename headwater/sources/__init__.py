"""Where documents come from: one file per connector.

Belongs here: connectors, each a class with a config model and `fetch`, found through the entry point group
`headwater.sources`. Not here: what happens to documents afterwards. Guarantee: one bad document does not affect others;
a source that cannot be read at all raises `SourceError`; only what the config names is read.

A connector of your own is one class and one line of packaging:

    class NotesConfig(SourceConfig):
        folder: AbsolutePath

    class Notes(Connector):
        kind = "notes"
        parser_version = "notes-1"
        Config = NotesConfig

        def fetch(self):
            folder = self.context.local(self.config.folder)  # there, and allowed to be read
            for path in sorted(folder.glob("*.txt")):
                content = path.read_bytes()
                yield FetchedDocument(
                    uri=path.name,
                    fingerprint=bytes_fingerprint(content),
                    parse=lambda content=content, name=path.name: ParsedDocument(
                        uri=name, title="", text=decode(content), media_type="text/plain"
                    ),
                )

    [project.entry-points."headwater.sources"]
    notes = "my_package.notes:Notes"

A connector that asks a server sends the `validator` of `self.context.known.get(uri)`, such as an ETag, and yields an
`UnchangedDocument` if nothing has changed; docs/connectors.md has an example.
"""
