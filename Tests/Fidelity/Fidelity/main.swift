import Foundation
import StorageContract

// Prints what the adapters add to the same engine calls made by hand (in C, or in Swift where the engine is GRDB), and
// the loop to nothing at all. Both sides take turns in one process, in blocks of equal work; a ratio is the median over
// sittings, each in a process of its own. Exit 1 if a bound is missed.

let arguments = Array(CommandLine.arguments.dropFirst())
/// What a process is started with by this one that sits once: the number of the sitting and the filters follow.
let sittingArgument = "--sitting"
/// What is compared: rows whose name holds one of these, or all.
let filters = arguments.first == sittingArgument ? Array(arguments.dropFirst(2)) : arguments
func isWanted(_ name: String) -> Bool { filters.isEmpty || filters.contains { name.contains($0) } }

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

/// One sitting, in this process.
func sit(_ number: Int) throws {
  var results: [Comparison.Result] = []
  for make in comparisons(number) {
    for comparison in try make() where isWanted(comparison.name) { results.append(try comparison.run()) }
  }
  print(String(decoding: try JSONEncoder().encode(results), as: UTF8.self))
}

/// All sittings, each in a process of its own, and what they say together.
///
/// - Returns: Whether all bounds hold.
func sitAll() throws -> Bool {
  let harness = isWanted("harness") ? Harness() : nil
  var rows: [Row] = []
  for number in 0..<sittings {
    let output = try OwnProcess.output([sittingArgument, String(number)] + filters)
    for result in try JSONDecoder().decode([Comparison.Result].self, from: Data(output.utf8)) {
      let index = rows.firstIndex { $0.name == result.name } ?? rows.endIndex
      if index == rows.endIndex { rows.append(Row(result)) }
      rows[index].add(result)
    }
    try harness?.measure()
  }
  print(
    "Ratio of the adapter to the same calls by hand, median of \(sittings) sittings and its 96 % interval; "
      + "10,000 records of 100 bytes; level crash where no other is named")
  for row in rows { print(row.text) }
  if let harness { print(harness.text) }
  return rows.allSatisfy(\.holds) && harness?.holds ?? true
}

var holds = true
do {
  defer { try? FileManager.default.removeItem(atPath: directory) }
  switch arguments.first {
  case Harness.argument: try Harness.answer()
  case QueueParts.argument: try QueueParts(directory: "\(directory)/parts").print()
  case OneSide.argument: try OneSide(Array(arguments.dropFirst())).run(comparisons(0))
  case sittingArgument: try sit(arguments.dropFirst().first.flatMap { Int($0) } ?? 0)
  default: holds = try sitAll()
  }
} catch {
  FileHandle.standardError.write(Data("fidelity: \(error)\n".utf8))
  exit(74)
}
exit(holds ? 0 : 1)
