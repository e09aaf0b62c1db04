import Foundation
import StorageContract

/// A measurement of the overhead of the adapters over the same engine calls made by hand (in C, or in Swift if the
/// engine is GRDB), and of the overhead of the measuring loop on an empty operation.
///
/// Both sides alternate in one process, in blocks of equal work. A ratio is the median over sittings, each in a
/// separate process.
struct Fidelity: Study {
  static let name = "fidelity"
  /// The number of sittings, enough for a 96 % interval.
  static let sittings = 12
  /// The first argument of a process that runs one sitting. The number of the sitting and the filters follow.
  private static let sittingArgument = "--sitting"

  private let directory = "\(FileManager.default.currentDirectoryPath)/.build/fidelity-\(getpid())"
  /// The comparisons to run: those whose name contains one of these strings, or all if there are none.
  private let filters: [String]

  static func run(_ arguments: [String]) throws -> Int32 {
    let rest = Array(arguments.dropFirst())
    let isSitting = arguments.first == sittingArgument
    let study = Fidelity(filters: isSitting ? Array(rest.dropFirst()) : arguments)
    defer { try? FileManager.default.removeItem(atPath: study.directory) }
    switch arguments.first {
    case Harness.argument: try Harness.answer()
    case QueueParts.argument: try QueueParts(directory: "\(study.directory)/parts").print()
    case OneSide.argument: try OneSide(rest).run(study.comparisons(0))
    case sittingArgument: try study.sit(rest.first.flatMap { Int($0) } ?? 0)
    default: return try study.sitAll() ? 0 : 1
    }
    return 0
  }

  private func isWanted(_ name: String) -> Bool { filters.isEmpty || filters.contains { name.contains($0) } }

  /// The comparisons of one sitting, their stores made anew.
  private func comparisons(_ number: Int) -> [() throws -> [HandComparison]] {
    let ofC = [("lmdb", Durability.crash), ("sqlite", .crash), ("lmdb", .durable), ("sqlite", .durable)].map { side in
      { try Sitting(side.0, side.1, directory: "\(directory)/\(side.0)", number: number).comparisons() }
    }
    return ofC + [{ try QueueSitting(directory: "\(directory)/queue", number: number).comparisons() }]
  }

  /// Runs one sitting in this process.
  private func sit(_ number: Int) throws {
    var results: [HandComparison.Result] = []
    for make in comparisons(number) {
      for comparison in try make() where isWanted(comparison.name) { results.append(try comparison.run()) }
    }
    print(String(decoding: try JSONEncoder().encode(results), as: UTF8.self))
  }

  /// Runs all sittings, each in a separate process, and prints the combined results.
  ///
  /// - Returns: Whether all bounds hold.
  private func sitAll() throws -> Bool {
    let harness = isWanted("harness") ? Harness() : nil
    var rows: [ComparedRow] = []
    for number in 0..<Self.sittings {
      let output = try Self.outputOfOwnProcess([Self.sittingArgument, String(number)] + filters)
      for result in try JSONDecoder().decode([HandComparison.Result].self, from: Data(output.utf8)) {
        let index = rows.firstIndex { $0.name == result.name } ?? rows.endIndex
        if index == rows.endIndex { rows.append(ComparedRow(result)) }
        rows[index].add(result)
      }
      try harness?.measure()
    }
    print(
      "Ratio of the adapter to the same calls by hand, median of \(Self.sittings) sittings and its 96 % interval; "
        + "10,000 records of 100 bytes; level crash where no other is named")
    for row in rows { print(row.text) }
    if let harness { print(harness.text) }
    return rows.allSatisfy(\.holds) && harness?.holds ?? true
  }
}
