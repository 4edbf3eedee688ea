# A knowledge base of two sources, not synced yet.
mkdir -p guides
for topic in Backups Coffee Holidays; do
    printf '# %s\n\nWhat the handbook says of %s.\n' $topic $topic > guides/$topic.md
done
for number in 1 2 3 4 5; do
    printf '{"uri": "tickets/%s", "title": "Ticket %s", "text": "Printer %s is offline."}\n' $number $number $number
done > tickets.jsonl
cat > handbook.yaml <<'END'
knowledge_base:
  slug: handbook
sources:
  - {slug: guides, kind: markdown_tree, path: ./guides}
  - {slug: tickets, kind: jsonl, path: ./tickets.jsonl}
END
headwater apply handbook.yaml
