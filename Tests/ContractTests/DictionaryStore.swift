import Foundation

@testable import StorageContract
@testable import StorageVerify
import TestSupport
import Testing

/// A store for tests over the model of the conformance kit. It counts its commits, and belongs to one thread.
final class DictionaryStore: ForwardingBackend {
  static let inner: any StorageBackend.Type = ReferenceStore.self

  let settings = "none"
  private(set) var commits = 0
  /// The error that the next commit throws.
  var nextFailure: StoreError?
  private let model: ReferenceStore
  private let owner = Thread.current

  init(opening environment: StoreEnvironment) throws {
    if environment.directory == "unreadable" { throw StoreError.damaged("as asked") }
    model = ReferenceStore(opening: environment)
  }

  convenience init(collections: Int = 1) throws {
    try self.init(opening: StoreEnvironment(directory: "", collections: Array(repeating: "c", count: collections)))
  }

  /// A call from another thread breaks the contract.
  var inner: any StorageBackend {
    #expect(Thread.current === owner)
    return model
  }

  func commit(_ changes: [Change]) throws {
    if let failure = nextFailure {
      nextFailure = nil
      throw failure
    }
    commits += 1
    try inner.commit(changes)
  }

  /// The whole content, for comparisons.
  var content: [[Int64: Record]] { model.content.collections }
}

extension Record {
  /// Returns a record whose other fields do not matter.
  static func sample(
    _ id: Int64, name: String = "n", group: String = "g", score: Double = 0, modified: Double = 0,
    payload: [UInt8] = []
  ) -> Record {
    Record(id: id, name: name, group: group, score: score, modified: modified, payload: payload)
  }

  /// Returns a record with few distinct values, so that predicates find several records and sorting has ties.
  static func random(_ id: Int64, using random: inout SplitMix64) -> Record {
    let names = ["", "a", "A", "ab", "abc", "b", "\u{E9}", "e\u{301}", "日本", "a\0b", "🙂"]
    let scores = [0, -0.0, 1, 2, 2.5, -7, .infinity, -.infinity, .nan]
    return Record(
      id: id, name: names.randomElement(using: &random)!, group: names.randomElement(using: &random)!,
      score: scores.randomElement(using: &random)!, modified: Double(Int.random(in: 0...3, using: &random)),
      payload: (0..<Int.random(in: 0...4, using: &random)).map { UInt8($0) })
  }
}
