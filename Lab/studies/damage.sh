# shellcheck shell=sh disable=SC2154
# Counts the damaged files that each format notices, reads wrongly or reads correctly.
#
#   scripts/lab damage     3,000 damaged files of each format; prints the table of docs/explanation/safety.md
#
# Six minutes on two processors at most. Exit code: that of crashtest, 1 if an error was no StoreError.
[ $# -eq 0 ] || fail 64 "too many arguments; the study has none"
need jq=jq
need_libraries
build_release
make_work "${TMPDIR:-/tmp}"
code=0
attend "$executable" crashtest --fault damage --durability shipped --count 3000 -q -o "$work/damage" \
  -b plist,archive,json,defaults,sqlite:journal=wal,sqlite:journal=wal:checksums=yes,lmdb,leveldb >&2 || code=$?
[ "$code" -le 1 ] || exit "$code"
# A group of cases is named "KIND PART". A fourth number is that of the processes that ended.
jq -r '
  def cell($kind):
    map(select(.variant | startswith($kind + " ")))
    | if . == [] then "-"
      else .[0] | "\(.lost_within_promise + .refused) / \(.unnoticed) / \(.kept)"
      + if .crashed > 0 then " / \(.crashed)" else "" end end;
  "| store | part | bit flipped | torn page | older file | cut short |",
  "|---|---|--:|--:|--:|--:|",
  (.findings | group_by([.backend, (.variant | split(" ") | last)])[]
    | ["`\(.[0].backend)`", (.[0].variant | split(" ") | last), cell("flip"), cell("torn"), cell("older"), cell("truncate")]
    | "| " + join(" | ") + " |")
' "$work/damage/safety.json"
exit "$code"
