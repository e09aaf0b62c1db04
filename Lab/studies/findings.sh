# shellcheck shell=sh disable=SC2154
# Reproduces the figures of findings.md and questions.md.
#
# It makes results/questions from Examples/questions.yaml, and results/reference/findings: a run on ext4, the rows that
# contradict published claims on ext4, xfs and btrfs, crash tests, and power cuts on those three. These file systems are
# in images (loop devices).
#
#   scripts/lab findings             half an hour; the machine should be otherwise idle
#   scripts/lab findings --files DIR only the files, from the results of an earlier call in DIR
#
# It needs root and the permission to mount. Its files are in .build/findings (20 GB at most). The pages are
# updated by RECORD_GOLDEN=1 swift test --filter 'FindingsTests|QuestionsTests': read their sentences afterwards, since
# they are not generated. Exit
# code: 3 if nothing can be mounted here, 64 or 74 if those directories are in use or cannot be written, 64 if DIR
# holds nothing.
made=$root/.build/findings
kept=$root/results/reference/findings
answers=$root/results/questions
case $#,${1:-} in
0,) check_own "$made" ;;
1,--files) fail 64 'give the directory of an earlier call after --files' ;;
2,--files) ;;
*) fail 64 'unknown arguments; give --files DIR or nothing' ;;
esac
for path in "$kept" "$answers"; do
  [ ! -L "$path" ] || fail 64 "$path is a link; put in its place what it leads to"
done

# joined FILE...: prints one summary made from several. Files after the first may be missing.
joined() {
  head -n 1 "$1"
  for file; do [ ! -f "$file" ] || sed 1d "$file"; done
}

# files DIR: writes the committed files from the runs in DIR.
files() {
  for file in ext4/run/summary.csv ext4/run/environment.json ext4/aged-others/summary.csv shared/summary.csv memory/summary.csv \
    ext4/disks/summary.csv ext4/aged/summary.csv ext4/keys/summary.csv xfs/disks/summary.csv xfs/aged/summary.csv \
    xfs/keys/summary.csv btrfs/disks/summary.csv btrfs/aged/summary.csv questions/summary.csv questions/environment.json \
    cuts; do
    [ -f "$1/$file" ] || fail 64 "$1 has no $file; give the directory of an earlier call"
  done
  make_work "${TMPDIR:-/tmp}"
  joined "$1"/ext4/run/summary.csv "$1"/ext4/aged-others/summary.csv "$1"/shared/summary.csv "$1"/memory/summary.csv >"$work/run.csv"
  for system in ext4 xfs btrfs; do
    # Random keys are not measured on btrfs.
    joined "$1/$system"/disks/summary.csv "$1/$system"/aged/summary.csv "$1/$system"/keys/summary.csv >"$work/$system.csv"
  done
  # The path of the checkout is not a property of the machine.
  sed "s|$root/||g" "$1/ext4/run/environment.json" >"$work/environment.json"
  mkdir "$work/questions"
  sed "s|$root/||g" "$1/questions/environment.json" >"$work/questions/environment.json"
  cp -- "$1/questions/summary.csv" "$work/questions/summary.csv"
  # The failures would be most of the file.
  jq -s '.[0] + {findings: (map(.findings) | add | map(.failures = []))}' "$1"/crash/*/safety.json >"$work/safety.json"
  {
    echo 'file system,backend,asked,level,cuts,kept,lost,torn'
    awk -F ' *[|] *' -v OFS=, '$2 ~ /^(ext4|xfs|btrfs)$/ && $6 ~ /^[0-9]+$/ { print $2, $3, $4, $5, $6, $7, $8, $9 }' "$1/cuts"
  } >"$work/cuts.csv"
  mkdir -p -- "$kept" "$answers"
  for file in summary.csv environment.json; do
    replace "$work/questions/$file" "$answers/$file" || fail 74 "cannot write $answers/$file; make it writable"
  done
  for file in run.csv ext4.csv xfs.csv btrfs.csv environment.json safety.json cuts.csv; do
    replace "$work/$file" "$kept/$file" || fail 74 "cannot write $kept/$file; make it writable"
  done
  printf '%s: %s and %s are up to date\n' "$name" "$kept" "$answers" >&2
}

if [ $# -gt 0 ]; then
  need jq=jq
  files "$2"
  exit
fi
[ "$(id -u)" -eq 0 ] || fail 3 "only root can mount the images; run it as root"
need jq=jq
need_libraries
need e2fsprogs=mkfs.ext4 xfsprogs=mkfs.xfs btrfs-progs=mkfs.btrfs mount=mount
build_release
# Unmounts lazily, since killed processes may still be ending.
leave() { for system in ext4 xfs btrfs; do umount -l "$made/$system" 2>/dev/null; done || true; }
leave
renew "$made"
for system in ext4 xfs btrfs; do
  mkdir "$made/$system"
  truncate -s 8G "$made/$system.img"
  "mkfs.$system" -q "$made/$system.img"
  mount -o loop "$made/$system.img" "$made/$system" 2>/dev/null ||
    fail 3 "nothing can be mounted here: run it as root, outside of a container that forbids it"
done

# measure DIR OPTION...: makes a run. One with failed rows is used all the same.
measure() {
  out=$1
  shift
  attend "$executable" run -q -o "$made/$out" "$@" >&2 || printf '%s: %s ended with %s\n' "$name" "$out" "$?" >&2
}
measure questions --plan "$root/Examples/questions.yaml"
measure ext4/run --plan "$root/Lab/studies/lib/findings.yaml"
for system in ext4 xfs btrfs; do
  measure "$system/disks" --plan "$root/Lab/studies/lib/findings-disks.yaml"
  measure "$system/aged" --aged 0,10 -n 10k -b sqlite -w read-one,load-all --trial-time 50ms
done
measure ext4/aged-others --aged 0,10 -n 10k -b object-graph,lmdb -w save-one,read-one,load-all --trial-time 50ms
measure shared -b plist,json,sqlite:journal=wal -w two-processes:saves=500,two-processes:lock=yes:saves=500 -n 100 --rounds 1 \
  --scratch /dev/shm --allow-ram-disk
measure memory --memory 64MiB -n 1M -b sqlite,lmdb,lmdb:readahead=no,plist -w read-one --rounds 2
for system in ext4 xfs; do measure "$system/keys" --plan "$root/Lab/studies/lib/findings-keys.yaml"; done
# crash DIR OPTION...: runs a crash test as described on the page.
crash() {
  out=$1
  shift
  attend "$executable" crashtest -q --count 20 -o "$made/crash/$out" "$@" >&2 || printf '%s: %s ended with %s\n' "$name" "$out" "$?" >&2
}
crash files -b plist,json --fault power --durability shipped,durable
crash in-place -b plist:atomic=no,defaults,plist --fault kill --durability shipped
crash default -b sqlite,sqlite:journal=delete --fault power --durability shipped,durable
crash off -b sqlite,sqlite:journal=delete --fault kill,power --durability crash
crash normal -b sqlite:as=apple,object-graph --fault power --durability shipped
crash lmdb -b lmdb --fault power --durability shipped,crash,intact
attend "$root/scripts/lab" power-cut 10 >"$made/cuts" || printf '%s: power-cut ended with %s\n' "$name" "$?" >&2
files "$made"
