import Foundation
import SampleModels
import Testing

@testable import ObjectGraph

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
    // Behind the last element of XML there is the line with the checksum, which may be missing.
    let end = type == .xml ? try #require(bytes.lastIndex(of: UInt8(ascii: "<"))) - 1 : bytes.count
    for length in 1..<end where length % 7 == 0 || length < 64 || length > end - 64 {
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

  /// The same with a length and a checksum that fit: somebody has written it so.
  private func sealed(_ bytes: [UInt8], _ type: StoreType) -> [UInt8] {
    guard type == .binary else {
      // To XML, the line with the checksum is a comment.
      return bytes
    }
    guard bytes.count >= BinaryFormat.headerSize else { return bytes }
    let content = Array(bytes[BinaryFormat.headerSize...])
    let checksum = content.withUnsafeBytes { Checksum.of($0) }
    func littleEndian(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.littleEndian) { Array($0) } }
    return Array(bytes[..<16]) + littleEndian(UInt64(content.count)) + littleEndian(checksum) + content
  }

  @Test("20: bytes changed under a checksum that is right, or without one", arguments: types)
  func forged(_ type: StoreType) throws {
    var sound = try sound(type)
    if type == .xml {
      let line = try #require(String(decoding: sound, as: UTF8.self).range(of: "<!-- checksum"))
      sound = Array(String(decoding: sound, as: UTF8.self)[..<line.lowerBound].utf8)
    }
    let history = try StoreHistory(type)
    var random = SplitMix64(seed: 2)
    var refusals = 0
    for round in 0..<1_500 {
      var bytes = sound
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        // Behind the model, or anywhere.
        let first = round % 2 == 0 ? bytes.count / 2 : BinaryFormat.headerSize
        let place = Int.random(in: first..<bytes.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[place] = .random(in: 0...255, using: &random)
        case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: bytes.removeSubrange(place..<min(place + Int.random(in: 1...20, using: &random), bytes.count))
        case 3: bytes.insert(contentsOf: bytes[place..<min(place + 20, bytes.count)], at: place)
        // A great number, a sign, a digit.
        default:
          bytes[place] = [0xff, 0x80, 0x7f, UInt8(ascii: "-"), UInt8(ascii: "9")].randomElement(using: &random) ?? 0
        }
      }
      guard let error = try refusal(sealed(bytes, type), history, "round \(round)") else { continue }
      refusals += 1
      switch error {
      case .damaged: break
      // Numbers, names and texts are others now, and another model is.
      case .validation, .constraints, .incompatibleModel: break
      default: Issue.record("round \(round): \(error)")
      }
    }
    #expect(refusals > 500)
  }

  @Test("20: numbers at their bounds are refused, and not counted up")
  func bounds() throws {
    let history = try StoreHistory(.xml)
    var text = String(decoding: try sound(.xml), as: UTF8.self)
    text.removeSubrange(try #require(text.range(of: "<!-- checksum")).lowerBound...)
    let greatest = "9223372036854775807"
    let version = text.replacing("id=\"z1\" version=\"1\"", with: "id=\"z1\" version=\"\(greatest)\"")
    #expect(version != text)
    expectDamaged(try refusal(Array(version.utf8), history, "version"), "version")
    for (name, changed) in [
      ("last key", text.replacing("lastKey=\"5\"", with: "lastKey=\"\(greatest)\"")),
      ("key", text.replacing("type=\"STUDENTS\" id=\"z4\"", with: "type=\"STUDENTS\" id=\"z\(greatest)\"")),
    ] {
      #expect(changed != text)
      let error = try refusal(Array(changed.utf8), history, name)
      expectDamaged(error, name)
      #expect("\(error.map { "\($0)" } ?? "")".contains("Students"))
    }
    // One key is left.
    let last = text.replacing("lastKey=\"5\"", with: "lastKey=\"9223372036854775806\"")
    #expect(try refusal(Array(last.utf8), history, "one key left") == nil)
  }
}
