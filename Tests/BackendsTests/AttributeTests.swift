import Foundation
import StorageContract
import Testing

@testable import StorageBackends

/// Attributes as columns, and files that are made smaller: what the engines do themselves.
@Suite struct AttributeTests {
  static let sqlite = Configuration.shipped.filter { ["sqlite", "sqlite-queue"].contains($0.backend) }
  private static let second = CollectionID(1)

  @Test(arguments: sqlite)
  func aColumnHasItsDefaultWhateverItHolds(configuration: Configuration) throws {
    try Subject.with(configuration) { subject in
      var store = try subject.open()
      // In the collection with the odd name.
      try store.commit(Tricky.records.map { .put($0, in: Self.second) })
      let attributes = try ["it's", "", "NUL\0 inside", "名前"].enumerated().map {
        try AddedAttribute("a\($0)", defaultValue: $1)
      }
      for attribute in attributes {
        try Capability.migrating(of: store).value.add(attribute, in: Self.second)
        try Capability.migrating(of: store).value.add(attribute, in: Self.second)
      }
      try store.close()
      store = try subject.open()
      let migrating = Capability.migrating(of: store)
      #expect(migrating.isNative)
      for attribute in attributes {
        var found = 0
        try migrating.value.scan(.all, with: attribute, in: Self.second) { view, value in
          #expect(value.hasSameBytes(as: attribute.defaultValue), "\(attribute.name) of \(view.id)")
          found += 1
          return true
        }
        #expect(found == Tricky.records.count)
      }
      let new = "a\0'b"
      #expect(try migrating.value.set(attributes[0], to: new, of: 0, in: Self.second))
      #expect(try migrating.value.value(of: attributes[0], for: 0, in: Self.second)?.hasSameBytes(as: new) == true)
      #expect(try !migrating.value.set(attributes[0], to: new, of: 404, in: Self.second))
      // An attribute that was never added is no text of its own name.
      let unknown = try AddedAttribute("unknown", defaultValue: "x")
      #expect(throws: StoreError.self) {
        try migrating.value.scan(.all, with: unknown, in: Self.second) { _, _ in true }
      }
      try store.close()
    }
  }

  @Test(arguments: sqlite + [Configuration("object-graph")])
  func compactingCutsTheFile(configuration: Configuration) throws {
    try Subject.with(configuration) { subject in
      let store = try subject.open()
      let records = (0..<400).map { Tricky.record($0, "record \($0)", payload: Data(count: 1_000)) }
      try store.commit(records.map { .put($0) })
      try store.commit((0..<400).filter { $0 % 4 > 0 }.map { .delete($0) })
      try store.settle()
      func size() throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: subject.file)[.size] as? Int)
      }
      let full = try size()
      let compacting = Capability.compacting(of: store, in: try subject.environment())
      #expect(compacting.isNative)
      try compacting.value.compact()
      #expect(try size() < full / 2)
      #expect(try store.records(.all, in: .records).map(\.id) == (0..<100).map { $0 * 4 })
      // It stays open, and what comes next is kept.
      try store.commit([.put(Tricky.record(7, "later"))])
      try store.close()
      let again = try subject.open()
      #expect(try again.count(in: .records) == 101)
      #expect(try again.record(7, in: .records)?.name == "later")
      try again.close()
    }
  }
}
