import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Semantic 20: files that were damaged, cut off or made up. Whatever is in them, they are read or refused with a typed
/// error that names the file; what is refused stays as it is.
@Suite struct StoreFuzzTests {
  private static let types: [StoreType] = [.binary, .xml]

  /// A small store's bytes.
  private func sound(_ type: StoreType) throws -> [UInt8] {
    let history = try StoreHistory(type)
    try history.open(School.entities) { try School.fill($0, students: 5) }
    return [UInt8](try Data(contentsOf: history.url))
  }

  /// Opens a file with these bytes, and uses it.
  ///
  /// - Returns: The error that it was refused with, or nil.
  private func refusal(_ bytes: [UInt8], _ history: StoreHistory, _ what: String) throws -> ObjectGraphError? {
    try Data(bytes).write(to: history.url)
    do {
      try history.open(School.entities) { context in
        let graph = try Graph(context)
        _ = try context.count(for: FetchRequest<Student>(where: Property.any("student_course.courseName") == "Music"))
        for student in try context.fetch(FetchRequest<Student>()) { student.studentDes = "changed" }
        let new = try context.student("S99")
        try context.save()
        #expect(graph.objects[Graph.name(new)] == nil, "\(what): a key is given twice")
      }
      // What could be saved can be read.
      try history.open(School.entities) { _ = try Graph($0) }
      return nil
    } catch let error as ObjectGraphError {
      switch error {
      // What an object says may be nothing that it could be saved with.
      case .validation, .constraints: break
      default: #expect("\(error)".contains("store.db"), "\(what): \(error)")
      }
      #expect(try [UInt8](Data(contentsOf: history.url)) == bytes, "\(what)")
      return error
    }
  }

  private func expectDamaged(_ error: ObjectGraphError?, _ what: String) {
    if case .damaged(file: "store.db", _) = error { return }
    Issue.record("\(what): \(error.map { "\($0)" } ?? "it was read")")
  }

  @Test("20: a file that was cut off anywhere is refused", arguments: types)
  func truncated(_ type: StoreType) throws {
    let (bytes, history) = (try sound(type), try StoreHistory(type))
    for length in 1..<bytes.count where length % 7 == 0 || length < 64 || length > bytes.count - 64 {
      expectDamaged(try refusal(Array(bytes[..<length]), history, "\(length) bytes"), "\(length) bytes")
    }
    expectDamaged(try refusal([], history, "no bytes"), "no bytes")
    expectDamaged(try refusal(bytes + [65], history, "a byte too many"), "a byte too many")
  }

  @Test("20: random bytes are refused", arguments: types)
  func random(_ type: StoreType) throws {
    let (bytes, history) = (try sound(type), try StoreHistory(type))
    var random = SplitMix64(seed: 1)
    for round in 0..<300 {
      // Some with the right beginning.
      let start = bytes[..<[0, 8, 40, 200][round % 4]]
      let rest = (0..<Int.random(in: 0...3_000, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      expectDamaged(try refusal(start + rest, history, "round \(round)"), "round \(round)")
    }
  }

  @Test("20: a file with any other byte is refused", arguments: types)
  func changed(_ type: StoreType) throws {
    let (sound, history) = (try sound(type), try StoreHistory(type))
    var random = SplitMix64(seed: 2)
    for round in 0..<500 {
      var bytes = sound
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      guard bytes != sound else { continue }
      expectDamaged(try refusal(bytes, history, "round \(round)"), "round \(round)")
    }
  }

  @Test("20: property lists of others are refused, however deep they are", arguments: types)
  func foreign(_ type: StoreType) throws {
    let history = try StoreHistory(type)
    let encoder = PropertyListEncoder()
    encoder.outputFormat = type == .xml ? .xml : .binary
    expectDamaged(try refusal([UInt8](try encoder.encode(["format": "2"])), history, "a dictionary"), "a dictionary")
    for start in ["<?xml version=\"1.0\"?><plist version=\"1.0\">", "bplist00", ""] {
      for nested in ["<array>", "("] {
        let text = start + String(repeating: nested, count: 200_000)
        expectDamaged(try refusal(Array(text.utf8), history, "\(start) \(nested)"), "\(start) \(nested)")
      }
    }
  }
}
