# Compares two summary.csv row by row in the columns that repeat exactly: no times, memory, allocations, bytes read,
# statements, findings or names of run and machine. Prints the differences; exits with 1 if there is any, or if there
# is nothing to compare.
#
#   awk -f same_rows.awk ONE OTHER

# Splits a line into fields. Quotes may hold commas, and doubled quotes.
function fields(line, into,    count, field, rest, mark) {
  count = 0
  rest = line
  while (1) {
    if (substr(rest, 1, 1) == "\"") {
      field = ""
      rest = substr(rest, 2)
      while ((mark = index(rest, "\"")) > 0 && substr(rest, mark + 1, 1) == "\"") {
        field = field substr(rest, 1, mark)
        rest = substr(rest, mark + 2)
      }
      field = field substr(rest, 1, mark - 1)
      rest = substr(rest, mark + 1)
    } else {
      mark = index(rest, ",")
      field = mark ? substr(rest, 1, mark - 1) : rest
      rest = mark ? substr(rest, mark) : ""
    }
    into[++count] = field
    if (rest == "") return count
    rest = substr(rest, 2)
    if (rest == "") {
      into[++count] = ""
      return count
    }
  }
}

BEGIN {
  names = "backend,options,workload,records,record_bytes,threads,cache,durability,level,settings,engine_version,fidelity,"
  names = names "status,processes,operations,counted_operations,bytes_changed,bytes_written,bytes_written_settled,"
  names = names "write_calls,syncs,syncs_settled,opens,renames,stored_bytes,file_bytes,digest,stream_hash,dataset,seed"
  exact = split(names, columns, ",")
}
FNR == 1 {
  file++
  count = fields($0, header)
  for (i = 1; i <= count; i++) column[file, header[i]] = i
  for (i = 1; i <= exact; i++) {
    if ((file, columns[i]) in column) continue
    print FILENAME " has no column " columns[i]
    differs = 1
  }
  next
}
{
  fields($0, row)
  line = ""
  for (i = 1; i <= exact; i++) line = line (i > 1 ? "\t" : "") row[column[file, columns[i]]]
  rows[file]++
  kept[file, rows[file]] = line
}
END {
  if (rows[1] != rows[2] || rows[1] == 0) {
    print rows[1] + 0 " rows and " rows[2] + 0
    exit 1
  }
  for (r = 1; r <= rows[1]; r++) {
    if (kept[1, r] == kept[2, r]) continue
    differs = 1
    split(kept[1, r], one, "\t")
    split(kept[2, r], other, "\t")
    for (i = 1; i <= exact; i++) {
      if (one[i] != other[i]) print "row " r " (" one[1] " " one[3] " " one[4] " " one[8] "): " columns[i] " " one[i] " and " other[i]
    }
  }
  if (differs) exit 1
  print rows[1] " rows are the same in " exact " columns"
}
