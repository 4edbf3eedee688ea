#!/usr/bin/env bash
# A tour of the HTTP API with curl: a knowledge base from its creation to its deletion.
# Needs a running `headwater up`, curl and python3.
#
#     bash curl_tour.sh http://127.0.0.1:8080
set -euo pipefail

api="$1/api/v1"
kb="$api/knowledge-bases/tour"

call() { # METHOD ADDRESS [JSON]: prints the request, then returns the response
    echo "--- $1 ${2#"$1"}" >&2
    curl --silent --show-error --fail-with-body -X "$1" "$2" ${3:+-H 'Content-Type: application/json' -d "$3"}
}

field() { # NAME: one field of the JSON on stdin; a dot leads into objects and lists
    python3 -c '
import json, sys
found = json.load(sys.stdin)
for name in sys.argv[1].split("."):
    found = found[int(name)] if isinstance(found, list) else found[name]
print(found)' "$1"
}

# 1. A knowledge base with a source that takes uploads.
call POST "$api/knowledge-bases" '{"slug": "tour", "name": "A tour"}' | field slug
call POST "$kb/sources" '{"slug": "inbox", "kind": "files"}' | field slug

# 2. Upload a file, and sync: this reads, splits, embeds and publishes it.
printf '# Coffee machine\n\nDescale the machine every three months with 20 grams of citric acid.\n' |
    curl --silent --show-error --fail-with-body -X PUT "$kb/sources/inbox/files/coffee.md" --data-binary @- | field name
sync=$(call POST "$kb/syncs" '{}' | field id)
until [[ $(call GET "$api/syncs/$sync" 2> /dev/null | field state) =~ ^(ready|failed|cancelled)$ ]]; do sleep 1; done
call GET "$api/syncs/$sync" | field state

# 3. Search, ask, and follow the answer to the run that read its source.
call POST "$kb/search" '{"query": "descaling"}' | field passages.0.excerpt.text
answer=$(call POST "$kb/answers" '{"question": "How often do I descale the machine?"}')
field answer <<< "$answer"
field cited.0.title <<< "$answer"
call GET "$api/answers/$(field id <<< "$answer")/lineage" | field citations.0.run_url

# 4. Tidy up; the receipt says what went.
call DELETE "$kb" | field removed.documents
