# Reads the trace of a run by `strace -f -y -s 0` and adds up the writes and syncs of files below `below` between two
# marks. Prints: SYNCS BYTES MARKS.
#
# The marks are the two openings of /proc/self/io: the counting process reads that file right before its counters start
# and right after their last reading, and no other process of a run reads it.
#
# A sync is an fsync, fdatasync, syncfs or msync(MS_SYNC), or a write of at least one byte through a descriptor opened
# with O_DSYNC or O_SYNC.

# Returns the descriptor of a call or of its result, with the path that -y adds: 5</path/to/file>. The flags of an
# opening are stored by this key, because two processes may have a descriptor 5, but not of the same store.
function descriptor(text) {
  match(text, /[0-9]+<[^>]*>/)
  return substr(text, RSTART, RLENGTH)
}
function is_below(file) { return index(file, "<" below "/") > 0 || index(file, "<" below ">") > 0 }
function result(text) {
  sub(/.*\) *= /, "", text)
  return text + 0
}

{
  thread = $1
  sub(/^[0-9]+ +/, "")
}

# strace splits a call in two parts if another thread's call comes between.
/ <unfinished \.\.\.>$/ {
  sub(/ <unfinished \.\.\.>$/, "")
  begun[thread] = $0
  next
}
/^<\.\.\. [a-z0-9_]+ resumed>/ {
  sub(/^<\.\.\. [a-z0-9_]+ resumed>/, "")
  $0 = begun[thread] $0
}

/^open(at)?\(.*"\/proc\/self\/io"/ { marks++ }
/^(open|openat|creat)\(/ {
  opened = $0
  sub(/.*\) *= /, "", opened)
  synchronous[descriptor(opened)] = /O_D?SYNC/
}

marks != 1 { next }
/^(fsync|fdatasync|syncfs)\(/ { if (is_below(descriptor($0))) syncs++ }
# A mapping has no descriptor. Only the engine maps files for writing.
/^msync\(.*MS_SYNC/ { syncs++ }
/^p?write(64|v|v2)?\(/ || /^(sendfile|copy_file_range)\(/ {
  # copy_file_range writes to the second descriptor of its arguments, the other calls to the first.
  target = $0
  if (/^copy_file_range/) sub(/[0-9]+<[^>]*>/, "", target)
  file = descriptor(target)
  if (is_below(file) && result($0) > 0) {
    bytes += result($0)
    syncs += synchronous[file]
  }
}

END { printf "%d %.0f %d\n", syncs, bytes, marks }
