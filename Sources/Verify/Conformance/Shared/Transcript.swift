import Contract

/// What a script of calls has answered, line by line: two implementations of one thing must give the same.
struct Transcript {
  private(set) var lines: [String] = []

  mutating func note(_ line: String) { lines.append(line) }

  mutating func note(_ what: String, _ records: [Record]) {
    note("\(what): \(records.map(Self.text).joined(separator: " "))")
  }

  /// Notes what a body answers, or which error it throws. Engines have words of their own for theirs.
  mutating func note(_ what: String, _ body: () throws -> String) {
    do {
      note("\(what): \(try body())")
    } catch let error as RelationError {
      note("\(what): \(error)")
    } catch is StoreError {
      note("\(what): a StoreError")
    } catch {
      note("\(what): \(error)")
    }
  }

  static func text(_ record: Record) -> String {
    "\(record.id)|\(record.name)|\(record.group)|\(record.score == 0 ? 0 : record.score)|\(record.payload.count)"
  }
}

extension CheckSubject {
  /// Runs a script on the model and on the backend, and says where their answers part.
  ///
  /// - Parameters:
  ///   - collections: The collections of both stores.
  ///   - isPlain: Whether the backend goes without its capabilities.
  func compareTranscripts(
    _ collections: [String] = collections, isPlain: Bool,
    _ script: (any StorageBackend.Type, StoreEnvironment, inout Transcript) throws -> Void
  ) throws {
    var (expected, found) = (Transcript(), Transcript())
    let environment = environment(collections)
    try script(ReferenceStore.self, environment, &expected)
    try script(isPlain ? backend.type.plain : backend.type, environment, &found)
    for (index, line) in expected.lines.enumerated() {
      let other = index < found.lines.count ? found.lines[index] : "nothing"
      guard line != other else { continue }
      let how = isPlain ? "emulated" : "by itself"
      violate("\(how), it answers '\(other.prefix(300))' instead of '\(line.prefix(300))'")
      return
    }
    expect(found.lines.count == expected.lines.count, "it answers more than it was asked")
  }
}

/// A check of a capability: one script, which the backend must answer as the model does, natively where it can, and by
/// the emulation in any case.
protocol CapabilityCheck: ConformanceCheck {
  static var collections: [String] { get }
  /// Opens the store, works on it, closes it.
  static func script(
    _ type: any StorageBackend.Type, _ environment: StoreEnvironment, _ transcript: inout Transcript) throws
}

extension CapabilityCheck {
  static var collections: [String] { CheckSubject.collections }

  static var steps: [@Sendable (CheckSubject) throws -> Void] {
    [
      { try $0.compareTranscripts(collections, isPlain: false, script) },
      { subject in
        try subject.removeFiles()
        try subject.compareTranscripts(collections, isPlain: true, script)
      },
    ]
  }
}
