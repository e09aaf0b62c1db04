import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Semantic 20: truncated, random and foreign files are refused with a typed error that names the file, and do not
/// change. Damaged files: ``DamageTests``.
@Suite struct StoreFuzzTests {
  private static let types: [StoreType] = [.binary, .xml]

  /// A small store's bytes.
  private func sound(_ type: StoreType) throws -> [UInt8] {
    let history = try StoreHistory.school(type, students: 5)
    return [UInt8](try Data(contentsOf: history.url))
  }

  /// Expects that a file with these bytes is refused, and not changed.
  private func expectDamaged(_ bytes: [UInt8], _ history: StoreHistory, _ what: String) throws {
    try Data(bytes).write(to: history.url)
    let error = try #require(throws: ObjectGraphError.self, "\(what)") {
      try history.open(School.entities) { _ = try Graph($0) }
    }
    #expect(error.damage != nil, "\(what): \(error)")
    #expect(try [UInt8](Data(contentsOf: history.url)) == bytes, "\(what)")
  }

  @Test("20: a file that was cut off anywhere is refused", arguments: types)
  func truncated(_ type: StoreType) throws {
    let (bytes, history) = (try sound(type), try StoreHistory(type))
    for length in 1..<bytes.count where length % 7 == 0 || length < 64 || length > bytes.count - 64 {
      try expectDamaged(Array(bytes[..<length]), history, "\(length) bytes")
    }
    try expectDamaged([], history, "no bytes")
    try expectDamaged(bytes + [65], history, "a byte too many")
  }

  @Test("20: random bytes are refused", arguments: types)
  func random(_ type: StoreType) throws {
    let (bytes, history) = (try sound(type), try StoreHistory(type))
    var random = SplitMix64(seed: 1)
    for round in 0..<300 {
      // Some with the right beginning.
      let start = bytes[..<[0, 8, 40, 200][round % 4]]
      let rest = (0..<Int.random(in: 0...3_000, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      try expectDamaged(start + rest, history, "round \(round)")
    }
  }

  @Test("20: property lists of others are refused, however deep they are", arguments: types)
  func foreign(_ type: StoreType) throws {
    let history = try StoreHistory(type)
    let encoder = PropertyListEncoder()
    encoder.outputFormat = type == .xml ? .xml : .binary
    try expectDamaged([UInt8](try encoder.encode(["format": "2"])), history, "a dictionary")
    for start in ["<?xml version=\"1.0\"?><plist version=\"1.0\">", "bplist00", ""] {
      for nested in ["<array>", "("] {
        let text = start + String(repeating: nested, count: 200_000)
        try expectDamaged(Array(text.utf8), history, "\(start) \(nested)")
      }
    }
  }
}
