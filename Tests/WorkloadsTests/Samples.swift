import Foundation
import StorageContract

@testable import StorageWorkloads

extension Record {
  /// Returns a record with a value in every field.
  static func sample(_ id: Int64) -> Record {
    Record(
      id: id, name: "name \(id)", group: "group", score: Double(id) / 2, modified: 1_000 + Double(id),
      payload: [1, 2, 3, UInt8(truncatingIfNeeded: id)])
  }

  /// The changes of each field, by its name.
  static var changes: [(key: String, value: (inout Record) -> Void)] {
    [
      ("id", { $0.id += 1_000_000 }), ("name", { $0.name += "x" }), ("group", { $0.group = "GROUP" }),
      ("score", { $0.score = -0.0 }), ("modified", { $0.modified += 1e-9 }), ("payload", { $0.payload[0] ^= 1 }),
    ]
  }

  func with(_ change: (inout Record) -> Void) -> Record {
    var record = self
    change(&record)
    return record
  }
}

/// Returns whether a number of draws is within four standard deviations of the number to expect.
func isNear(_ found: Int, _ probability: Double, of draws: Int) -> Bool {
  let expected = probability * Double(draws)
  return abs(Double(found) - expected) < 4 * max(1, expected * (1 - probability)).squareRoot()
}
