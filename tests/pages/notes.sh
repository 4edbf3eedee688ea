# The knowledge base of "Getting started", synced: what other pages begin with. An id that they show stands for its own.
# The first page of a run makes it and keeps a copy, with the database; all pages have the same folders.
if [ -d "$KEPT" ]; then
    cp -a "$KEPT"/home "$HEADWATER_HOME"
    cp -a "$KEPT"/notes "$KEPT"/notes.yaml .
    return
fi
mkdir -p notes/guides
cat > notes/backups.md <<'END'
# Backups

The database is backed up every night at 02:30 to the second server.
A restore takes about ten minutes.
END
cat > notes/guides/coffee.md <<'END'
# Coffee machine

Descale the machine every three months with 20 grams of citric acid in one litre of water.
END
cat > notes.yaml <<'END'
knowledge_base:
  slug: notes
  name: My notes
sources:
  - {slug: folder, kind: markdown_tree, path: ./notes}
END
headwater apply notes.yaml
headwater sync notes
headwater down
mkdir "$KEPT"
cp -a "$HEADWATER_HOME" "$KEPT"/home
cp -a notes notes.yaml "$KEPT"
