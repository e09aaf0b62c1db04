import Foundation
import StorageContract

// Prints what the adapters add to the same engine calls made in C, and the loop to nothing at all. Both sides take
// turns in one process, in blocks of equal work; a ratio is the median over sittings. Exit 1 if a bound is missed.

/// What is compared: rows whose name holds one of the arguments, or all.
let filters = CommandLine.arguments.dropFirst()
func isWanted(_ name: String) -> Bool { filters.isEmpty || filters.contains { name.contains($0) } }

// A process that is started by this one for the harness alone.
if Array(filters) == [Harness.argument] {
  try Harness.answer()
  exit(0)
}

/// Enough for an interval of 96 %.
let sittings = 12
let directory = "\(FileManager.default.currentDirectoryPath)/.build/fidelity-\(getpid())"
var holds = true
do {
  defer { try? FileManager.default.removeItem(atPath: directory) }
  let harness = isWanted("harness") ? Harness() : nil
  var rows: [Row] = []
  for sitting in 0..<sittings {
    for (id, durability) in [("lmdb", Durability.crash), ("sqlite", .crash), ("lmdb", .durable), ("sqlite", .durable)] {
      let both = try Sitting(id, durability, directory: "\(directory)/\(id)", number: sitting)
      for comparison in try both.comparisons() where isWanted(comparison.name) {
        let index = rows.firstIndex { $0.name == comparison.name } ?? rows.endIndex
        if index == rows.endIndex { rows.append(Row(comparison)) }
        rows[index].add(try comparison.run())
      }
    }
    try harness?.measure()
  }
  print(
    "Ratio of the adapter to C, median of \(sittings) sittings and its 96 % interval; "
      + "10,000 records of 100 bytes; level crash where no other is named")
  for row in rows {
    holds = holds && row.holds
    print(row.text)
  }
  if let harness {
    holds = holds && harness.holds
    print(harness.text)
  }
} catch {
  FileHandle.standardError.write(Data("fidelity: \(error)\n".utf8))
  exit(74)
}
exit(holds ? 0 : 1)
