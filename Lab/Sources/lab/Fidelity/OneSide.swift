import Foundation
import StorageContract

/// The repetition of one side of one comparison for a profiler, which could not assign the engine calls to a side
/// otherwise.
///
///     perf record .build/release/lab fidelity --side swift "sqlite import" 100
///     valgrind --tool=callgrind .build/release/lab fidelity --side c "sqlite import" 3
struct OneSide {
  static let argument = "--side"

  private let isSwift: Bool
  private let name: String
  private let times: Int

  init(_ arguments: [String]) throws {
    guard arguments.count == 3, ["swift", "c"].contains(arguments[0]), let times = Int(arguments[2]), times > 0 else {
      throw UsageError("\(Self.argument) takes the side, swift or c, the name of a row and a number of times")
    }
    (isSwift, name, self.times) = (arguments[0] == "swift", arguments[1], times)
  }

  func run(_ sitting: [() throws -> [HandComparison]]) throws {
    for make in sitting {
      guard let comparison = try make().first(where: { $0.name == name }) else { continue }
      for _ in 0..<times {
        try comparison.prepare?(isSwift)
        try isSwift ? comparison.swift() : comparison.c()
      }
      return
    }
    throw UsageError("there is no row '\(name)'")
  }
}
