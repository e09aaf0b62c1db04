import Foundation
import StorageContract

/// A check that a copy of an open store has the content that the store had at one moment. Copying must not change the
/// store.
struct BackupCheck: ConformanceCheck {
  static let id = "backups"
  static let promise = "a copy of the open store is one of its states, and the store stays as it was"
  static let steps: Steps = [copy, { try $0.expectStored(finalContent, "in another process") }]

  static func exemption(_ subject: CheckedBackend) -> String? {
    if let reason = subject.storesNothing { return reason }
    return subject.type is any BackingUp.Type ? nil : "it has no call that copies an open store"
  }

  private struct Injected: Error {}

  private static let filling: [Change] = SampleRecords.filler(0..<300, bytes: 1_000)
  private static let deletion: [Change] = (0..<250).map { .delete($0) }
  private static func late(_ number: Int64) -> Change { .put(SampleRecords.record(1_000 + number, "late \(number)")) }

  private static var finalContent: StoreContent {
    StoreContent(
      after: [filling, [.put(SampleRecords.record(1), in: CheckSubject.second)], deletion, [late(0)], [late(1)]])
  }

  @Sendable private static func copy(_ subject: CheckSubject) throws {
    let store = try subject.open()
    guard let engine = store as? any BackingUp else { return subject.violate("its instances have no such call") }
    var content = StoreContent()
    try content.commit(filling, to: store)
    try content.commit([.put(SampleRecords.record(1), in: CheckSubject.second)], to: store)
    let first = try environment(subject, "first")
    try engine.backUp(to: first.directory, isCompact: false, between: nil)
    let before = content
    try content.commit(deletion, to: store)
    try subject.expectStored(before, in: first, "in a copy, after later commits")
    if type(of: engine).obstacleToCompactCopies(subject.backend.options) == nil {
      let compact = try environment(subject, "compact")
      try engine.backUp(to: compact.directory, isCompact: true, between: nil)
      try subject.expectStored(content, in: compact, "in a compact copy")
    }
    if type(of: engine).copiesInSteps { try copyInSteps(subject, engine, store, &content) }
    while !content.collections[0].keys.contains(1_001) {
      try content.commit([late(content.collections[0].keys.contains(1_000) ? 1 : 0)], to: store)
    }
    try subject.compare(store, content, "after the copies")
    try store.close()
  }

  /// Copies the store while saves are made. The copy must equal the store at one moment. If a save throws an error, the
  /// copying must throw the error, too.
  private static func copyInSteps(
    _ subject: CheckSubject, _ engine: any BackingUp, _ store: any StorageBackend, _ content: inout StoreContent
  ) throws {
    var states = [content]
    let stepwise = try environment(subject, "stepwise")
    try engine.backUp(to: stepwise.directory, isCompact: false) {
      guard states.count <= 2 else { return }
      var next = states[states.count - 1]
      try next.commit([late(Int64(states.count - 1))], to: store)
      states.append(next)
    }
    content = states[states.count - 1]
    try subject.withStore(stepwise) { copy in
      let found = try StoreContent(reading: copy, collections: CheckSubject.collections.count)
      subject.expect(states.contains { $0.isSame(as: found) }, "a copy beside saves is none of the store's states")
    }
    let failed = try environment(subject, "failed")
    do {
      try engine.backUp(to: failed.directory, isCompact: false) { throw Injected() }
      subject.violate("a copy whose save fails throws no error")
    } catch is Injected {}
  }

  private static func environment(_ subject: CheckSubject, _ name: String) throws -> StoreEnvironment {
    var environment = subject.environment()
    environment.directory = "\(subject.directories.root)/\(name)"
    try FileManager.default.createDirectory(atPath: environment.directory, withIntermediateDirectories: false)
    return environment
  }
}
