import Contract

/// What a store must hold: the source's records, less and more what operations changed.
public struct Expectation {
  private let source: (any RecordSource)?
  private var changes: [Int64: Record?] = [:]
  private var moreChecks: [(inout Findings) throws -> Void] = []

  /// Expects the records of a source, or, without one, an empty store.
  public init(_ source: (any RecordSource)?) { self.source = source }

  /// Expects that a change was made.
  public mutating func apply(_ change: Change) {
    switch change.action {
    case .put(let record, _): changes[record.id] = .some(record)
    case .delete(let key, _): changes[key] = .some(nil)
    }
  }

  /// Expects something of what lies beside the records, too.
  ///
  /// - Parameter check: Throws ``VerificationError``, and adds what it found to the findings.
  mutating func alsoCheck(_ check: @escaping (inout Findings) throws -> Void) { moreChecks.append(check) }

  /// The record expected under a key, or nil.
  public func record(_ key: Int64) -> Record? {
    if let change = changes[key] { return change }
    guard let source, let index = source.index(of: key) else { return nil }
    return source.record(at: index)
  }

  /// What a whole store was found to hold.
  public struct Findings: Equatable, Sendable {
    /// The number of records.
    public var records = 0
    /// The sum of their logical sizes.
    public var storedBytes = 0
    /// Hash of all records in key order.
    public var digest = StableHash()
  }

  /// Reads the whole store and compares it, record for record.
  ///
  /// - Throws: ``VerificationError`` naming the first key that is missing, left over, or different.
  public func check(_ store: any StorageBackend) throws -> Findings {
    var findings = Findings()
    var expected = ExpectedKeys(source: source, changes: changes)
    try store.scan(.all, in: .records) { view in
      guard let key = expected.next() else { throw VerificationError(key: view.id, "is there but should not be") }
      if view.id < key { throw VerificationError(key: view.id, "is there but should not be") }
      if view.id > key { throw VerificationError(key: key, "is missing") }
      try Self.compare(view.record(), with: record(key), key: key)
      findings.records += 1
      findings.storedBytes += 24 + view.name.count + view.group.count + view.payload.count
      findings.digest.add(view)
      return true
    }
    if let key = expected.next() { throw VerificationError(key: key, "is missing") }
    let count = try store.count(in: .records)
    guard count == findings.records else {
      throw VerificationError(key: nil, "the store counts \(count) records, but holds \(findings.records)")
    }
    for check in moreChecks { try check(&findings) }
    return findings
  }

  /// Compares what was read under a key with what should have been.
  public static func compare(_ found: Record?, with expected: Record?, key: Int64) throws {
    switch (found, expected) {
    case (nil, nil): return
    case (nil, _): throw VerificationError(key: key, "is missing")
    case (_, nil): throw VerificationError(key: key, "is there but should not be")
    case (let found?, let expected?):
      if found.isIdentical(to: expected) { return }
      let fields: [(String, Bool)] = [
        ("id", found.id == expected.id), ("name", found.name.hasSameBytes(as: expected.name)),
        ("group", found.group.hasSameBytes(as: expected.group)),
        ("score", found.score.bitPattern == expected.score.bitPattern),
        ("modified", found.modified.bitPattern == expected.modified.bitPattern),
        ("payload", found.payload == expected.payload),
      ]
      let wrong = fields.filter { !$0.1 }.map(\.0).joined(separator: ", ")
      throw VerificationError(key: key, "has a wrong \(wrong)")
    }
  }
}

/// The expected keys in order: the source's and the changed ones, merged.
private struct ExpectedKeys {
  private let source: (any RecordSource)?
  private let changes: [Int64: Record?]
  private let changed: [Int64]
  private var sourceIndex = 0
  private var changedIndex = 0

  init(source: (any RecordSource)?, changes: [Int64: Record?]) {
    self.source = source
    self.changes = changes
    changed = changes.keys.sorted()
  }

  mutating func next() -> Int64? {
    while true {
      let fromSource = source.flatMap { sourceIndex < $0.count ? $0.key(at: sourceIndex) : nil }
      let fromChanges = changedIndex < changed.count ? changed[changedIndex] : nil
      guard let key = [fromSource, fromChanges].compactMap({ $0 }).min() else { return nil }
      if key == fromSource { sourceIndex += 1 }
      if key == fromChanges {
        changedIndex += 1
        // A deleted key is expected nowhere.
        if case .some(.none) = changes[key] { continue }
      }
      return key
    }
  }
}
