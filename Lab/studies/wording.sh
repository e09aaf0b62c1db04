# shellcheck shell=sh disable=SC2154
# Tells whether a change to the golden files alters their wording only.
#
# Removes the words from every file of Tests/Golden, as it was in a commit and as it is now, and compares the numbers
# with their units, in order. Positions in pictures are left out, because they depend on the lengths of words.
#
#   scripts/lab wording [COMMIT]     default: HEAD
#
# Exit code: 0 if all figures are the same, 1 if one differs, 64 if COMMIT is unknown.
[ $# -le 1 ] || fail 64 "'$2' is one argument too many; give one commit"
commit=${1:-HEAD}
git -C "$root" rev-parse -q --verify "$commit^{commit}" >/dev/null || fail 64 "unknown commit '$commit'; name one of git log"
make_work "${TMPDIR:-/tmp}"
# figures: prints one figure per line.
figures() {
  sed -E 's/µ/u/g; s/×/x/g; s/±/+-/g; s/sha256-[^;]*//; s/ (x|y|[xy][12]|c[xy]|r|d|width|height|points|transform|viewBox|style)="[^"]*"//g' |
    grep -oP '(?<![\w.])\d+(?:[.,]\d+)*(?: ?(?:[num]?s|[kMG]?B|%|x)(?!\w))?' || true
}
status=0
for file in $(git -C "$root" ls-tree -r --name-only "$commit" Tests/Golden); do
  git -C "$root" show "$commit:$file" | figures >"$work/before"
  if [ -f "$root/$file" ]; then figures <"$root/$file"; fi >"$work/after"
  if cmp -s "$work/before" "$work/after"; then
    printf '%s: the same %d figures\n' "$file" "$(wc -l <"$work/after")"
  else
    status=1
    printf '%s: figures differ\n' "$file"
    diff "$work/before" "$work/after" | grep '^[<>]' || true
  fi
done
exit "$status"
