import Foundation
import StorageContract

/// A check of an optional capability, such as queries. The backend must give the same answers as a reference store in
/// memory, also if StorageContract emulates the capability.
protocol CapabilityCheck: ConformanceCheck {
  static var capability: Capability { get }
  static var collections: [String] { get }
  /// Makes calls that test the capability, such as queries, and adds the store's answers to `transcript`.
  ///
  /// - Parameter store: A store of the backend under test or, for comparison, a reference store in memory.
  static func script(_ store: any StorageBackend, _ subject: CheckSubject, _ transcript: inout Transcript) throws
  /// Adds records of the store after ``script(_:_:_:)`` to `transcript`. By default, adds all records.
  static func look(_ store: any StorageBackend, _ transcript: inout Transcript) throws
}

extension CapabilityCheck {
  static var collections: [String] { CheckSubject.collections }
  static var dependsOnOptions: Bool { false }

  static var steps: Steps {
    [
      { try work($0, isPlain: false) }, { try lookAgain($0, isPlain: false) },
      { try work($0, isPlain: true) }, { try lookAgain($0, isPlain: true) },
    ]
  }

  static func look(_ store: any StorageBackend, _ transcript: inout Transcript) throws {
    for index in collections.indices {
      transcript.note("collection \(index)", try store.records(.all, in: CollectionID(index)))
    }
  }

  private static func work(_ subject: CheckSubject, isPlain: Bool) throws {
    // A capability that is always emulated was checked by the previous steps.
    if isPlain, !capability.isNative(in: subject.backend.type) { return }
    if isPlain { try subject.removeFiles() }
    var (expected, left, found) = (Transcript(), Transcript(), Transcript())
    try play(subject, ReferenceStore.self) { model in
      try script(model, subject, &expected)
      try look(model, &left)
    }
    try JSONEncoder().encode(left.lines).write(to: URL(fileURLWithPath: subject.directories.notes))
    try play(subject, type(subject, isPlain)) { try script($0, subject, &found) }
    subject.compare(found, expected, isPlain ? "emulated" : "by itself")
  }

  private static func lookAgain(_ subject: CheckSubject, isPlain: Bool) throws {
    if isPlain, !capability.isNative(in: subject.backend.type) { return }
    let left = try Data(contentsOf: URL(fileURLWithPath: subject.directories.notes))
    let expected = Transcript(lines: try JSONDecoder().decode([String].self, from: left))
    var found = Transcript()
    try play(subject, type(subject, isPlain)) { try look($0, &found) }
    subject.compare(found, expected, "\(isPlain ? "emulated" : "by itself"), in another process")
  }

  private static func type(_ subject: CheckSubject, _ isPlain: Bool) -> any StorageBackend.Type {
    isPlain ? subject.backend.type.plain : subject.backend.type
  }

  private static func play(
    _ subject: CheckSubject, _ type: any StorageBackend.Type, _ body: (any StorageBackend) throws -> Void
  ) throws {
    let store = try type.init(opening: subject.environment(collections))
    try body(store)
    try store.close()
  }
}

extension CheckSubject {
  fileprivate func compare(_ found: Transcript, _ expected: Transcript, _ how: String) {
    for (index, line) in expected.lines.enumerated() {
      let other = index < found.lines.count ? found.lines[index] : "nothing"
      guard line != other else { continue }
      return violate("\(how), it answers '\(other.prefix(300))' instead of '\(line.prefix(300))'")
    }
    expect(found.lines.count == expected.lines.count, "\(how), it answers more than it was asked")
  }
}
