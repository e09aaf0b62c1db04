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
      { try compare($0, isPlain: false, looksAgain: false) }, { try compare($0, isPlain: false, looksAgain: true) },
      { try compare($0, isPlain: true, looksAgain: false) }, { try compare($0, isPlain: true, looksAgain: true) },
    ]
  }

  static func look(_ store: any StorageBackend, _ transcript: inout Transcript) throws {
    for index in collections.indices {
      transcript.note("collection \(index)", try store.records(.all, in: CollectionID(index)))
    }
  }

  /// Compares the answers of the store with those of a reference store in memory.
  ///
  /// - Parameters:
  ///   - isPlain: Whether StorageContract emulates the capability, even if the backend has the capability natively.
  ///   - looksAgain: Whether the script ran in an earlier process, so that only the records that it left are compared.
  private static func compare(_ subject: CheckSubject, isPlain: Bool, looksAgain: Bool) throws {
    // A capability that is always emulated was checked by the previous steps.
    if isPlain, !capability.isNative(in: subject.backend.type) { return }
    if isPlain, !looksAgain { try subject.removeFiles() }
    let environment = subject.environment(collections)
    var (expected, left, found) = (Transcript(), Transcript(), Transcript())
    let model = ReferenceStore(opening: environment)
    try script(model, subject, &expected)
    try look(model, &left)
    let type = isPlain ? subject.backend.type.plain : subject.backend.type
    let store = try type.init(opening: environment)
    if looksAgain { try look(store, &found) } else { try script(store, subject, &found) }
    try store.close()
    let how = isPlain ? "emulated" : "by itself"
    subject.compare(found, looksAgain ? left : expected, looksAgain ? "\(how), in another process" : how)
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
