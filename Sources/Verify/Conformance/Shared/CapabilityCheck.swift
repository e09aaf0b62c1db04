import Foundation
import StorageContract

struct ScriptedStore {
  let store: any StorageBackend
  let environment: StoreEnvironment
  /// The backend under test. The ``store`` is a store of this backend or, for comparison, a reference store in memory.
  let backend: CheckedBackend
}

/// A check of an optional capability, such as queries. The backend must give the same answers as a reference store in
/// memory, also if StorageContract emulates the capability.
protocol CapabilityCheck: ConformanceCheck {
  static var capability: Capability { get }
  static var collections: [String] { get }
  /// Makes calls that test the capability, such as queries. Adds the store's answers to `transcript`, so that they can
  /// be compared with expected answers.
  static func script(_ scripted: ScriptedStore, _ transcript: inout Transcript) throws
  /// Reads records from the store after ``script(_:_:)``, and adds them to `transcript` for the comparison. By default,
  /// reads all records.
  static func look(_ scripted: ScriptedStore, _ transcript: inout Transcript) throws
}

extension CapabilityCheck {
  static var collections: [String] { CheckSubject.collections }

  static var steps: [@Sendable (CheckSubject) throws -> Void] {
    [
      { try work($0, isPlain: false) },
      { try lookAgain($0, isPlain: false) },
      { subject in
        // A capability that is always emulated was checked by the previous steps.
        guard capability.isNative(in: subject.backend.type) else { return }
        try subject.removeFiles()
        try work(subject, isPlain: true)
      },
      { subject in
        guard capability.isNative(in: subject.backend.type) else { return }
        try lookAgain(subject, isPlain: true)
      },
    ]
  }

  static func look(_ scripted: ScriptedStore, _ transcript: inout Transcript) throws {
    for index in collections.indices {
      transcript.note("collection \(index)", try scripted.store.records(.all, in: CollectionID(index)))
    }
  }

  private static func work(_ subject: CheckSubject, isPlain: Bool) throws {
    var (expected, left, found) = (Transcript(), Transcript(), Transcript())
    try play(subject, ReferenceStore.self) { model in
      try script(model, &expected)
      try look(model, &left)
    }
    try JSONEncoder().encode(left.lines).write(to: URL(fileURLWithPath: subject.directories.notes))
    try play(subject, type(subject, isPlain)) { try script($0, &found) }
    subject.compare(found, expected, isPlain ? "emulated" : "by itself")
  }

  private static func lookAgain(_ subject: CheckSubject, isPlain: Bool) throws {
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
    _ subject: CheckSubject, _ type: any StorageBackend.Type, _ body: (ScriptedStore) throws -> Void
  ) throws {
    let environment = subject.environment(collections)
    let store = try type.init(opening: environment)
    try body(ScriptedStore(store: store, environment: environment, backend: subject.backend))
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
