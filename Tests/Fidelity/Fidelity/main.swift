import Foundation
import StorageContract

// Prints what the adapters add to the same engine calls made by hand (in C, or in Swift where the engine is GRDB), and
// the loop to nothing at all. Both sides take turns in one process, in blocks of equal work; a ratio is the median over
// sittings. Exit 1 if a bound is missed.

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

/// The comparisons of one sitting, their stores made anew.
func comparisons(_ number: Int) -> [() throws -> [Comparison]] {
  let ofC = [("lmdb", Durability.crash), ("sqlite", .crash), ("lmdb", .durable), ("sqlite", .durable)].map { side in
    { try Sitting(side.0, side.1, directory: "\(directory)/\(side.0)", number: number).comparisons() }
  }
  return ofC + [{ try QueueSitting(directory: "\(directory)/queue", number: number).comparisons() }]
}

var holds = true
do {
  defer { try? FileManager.default.removeItem(atPath: directory) }
  if Array(filters) == [QueueParts.argument] {
    try QueueParts(directory: "\(directory)/parts").print()
    exit(0)
  }
  if filters.first == OneSide.argument {
    try OneSide(Array(filters.dropFirst())).run(comparisons(0))
    exit(0)
  }
  let harness = isWanted("harness") ? Harness() : nil
  var rows: [Row] = []
  for sitting in 0..<sittings {
    for make in comparisons(sitting) {
      for comparison in try make() where isWanted(comparison.name) {
        let index = rows.firstIndex { $0.name == comparison.name } ?? rows.endIndex
        if index == rows.endIndex { rows.append(Row(comparison)) }
        rows[index].add(try comparison.run())
      }
    }
    try harness?.measure()
  }
  print(
    "Ratio of the adapter to the same calls by hand, median of \(sittings) sittings and its 96 % interval; "
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
