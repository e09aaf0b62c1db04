#!/bin/sh
# The workflows of this directory as plain shell, for any CI system. Run it in a checkout:
#
#   docs/ci/plain.sh check                      committed counts, in seconds
#   docs/ci/plain.sh rules                      rules about backends, in seconds
#   docs/ci/plain.sh paired BASE-REVISION       the revision against what is checked out, side by side
#   docs/ci/plain.sh shard 2/4                  one part of a matrix of cells; the parts can run anywhere
#   docs/ci/plain.sh merge DIR...               the parts together
#
# Reports go to reports/. The exit code is that of storage-bench: 0 well, 1 a cell failed, 2 a regression, 3 too
# little could be judged. With `paired --unjudged warn`, for machines shared with others, 3 is a warning and 0.
set -eu
cd -- "$(dirname -- "$0")/../.."
root=$(pwd -P)
# In containers the checkout is often of another user, which git refuses by itself.
git() { command git -c safe.directory="$root" "$@"; }

# The fraction of a second that a second call of scripts/bench takes tells that nothing is built again.
check() {
  scripts/bench check costs.csv -f junit,markdown -o reports
}

rules() {
  scripts/bench check Examples/rules.yaml --run -f junit,markdown -o reports/rules
}

paired() {
  [ $# -eq 1 ] || { echo "plain.sh: paired takes one revision" >&2 && exit 64; }
  git rev-parse -q --verify "$1^{commit}" >/dev/null ||
    { echo "plain.sh: '$1' is no revision here; give a commit, tag or branch that is fetched" >&2 && exit 64; }
  base=.build/base
  # One of a cached .build belongs to a checkout that is gone.
  git -C "$base" rev-parse -q --verify HEAD >/dev/null 2>&1 ||
    { rm -rf -- "$base" && git worktree prune && git worktree add --detach "$base" "$1"; }
  git -C "$base" checkout --detach -q "$(git rev-parse "$1")"
  "$base/scripts/bench" --version >/dev/null
  scripts/bench --version >/dev/null
  scripts/bench paired --base "$base/.build/release/storage-bench" --head .build/release/storage-bench \
    -b sqlite,lmdb,plist -w save-one,read-one,import -n 1k \
    --trial-time 50ms --budget 5m --unjudged warn -f markdown,json,junit -o "reports/paired-$(date +%Y%m%d%H%M%S)"
}

shard() {
  [ $# -eq 1 ] || { echo "plain.sh: shard takes one part, such as 2/4" >&2 && exit 64; }
  scripts/bench run --profile counts --shard "$1" -o "reports/shard-${1%/*}"
}

merge() {
  scripts/bench merge "$@" -o reports/whole
}

case ${1:-} in
check | rules | paired | shard | merge) "$@" ;;
*) sed -n '2,11s/^# \{0,1\}//p' "$0" && exit 64 ;;
esac
