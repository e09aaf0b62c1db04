# shellcheck shell=sh disable=SC2154
# Checks the workflows without a network, or runs their commands.
#
# Checks the workflows without a network: YAML, pinned actions, least permissions, uploads after a failure, no
# expression in a shell line that an outsider could write, one Swift version for all, and every `run:` line through
# shellcheck.
#
#   scripts/lab try-workflows [FILE...]                    default: those of .github/workflows, docs/ci and Examples
#   CHROOT=DIR scripts/lab try-workflows --run [FILE...]   also runs them, on a bare Debian; more with --run --help
#
# Exit code: 0 if all is well, 1 if something is not, 64 if a FILE does not exist, 69 if something must be installed,
# 74 if a file cannot be written.
[ "${1:-}" = --run ] || for file; do [ -f "$file" ] || fail 64 "'$file' does not exist; name a workflow"; done
need python3=python3
python3 -c 'import yaml' 2>/dev/null || need python3-yaml=/usr/lib/python3/dist-packages/yaml/__init__.py
if [ "${1:-}" = --run ]; then
  shift
  exec python3 "$root/Lab/studies/lib/run_workflows.py" "$root" "$@"
fi
need shellcheck=shellcheck
[ $# -gt 0 ] || set -- "$root"/.github/workflows/*.yml "$root"/docs/ci/*.yml "$root"/Examples/*/ci.yml
exec python3 "$root/Lab/studies/lib/try_workflows.py" "$@"
