import Foundation
import StorageContract

/// A check that a store without files opens as an empty store, and that `writeFixture` stores the given records.
struct MissingFileCheck: ConformanceCheck {
  static let id = "missing-file"
  static let promise = "a missing file is an empty store"
  static let steps: Steps = [
    create, reopen,
    { try $0.expectStored(StoreContent(after: [records.map { .put($0) }]), "that was written as a fixture") },
  ]
  static let dependsOnOptions = false

  private static let records = [5, 3, -4, 9].map { SampleRecords.record($0, "fixture \($0)") }

  @Sendable private static func create(_ subject: CheckSubject) throws {
    try subject.expectStored(StoreContent(), "at the first launch")
    guard subject.backend.leavesNothing == nil else { return }
    try subject.withStore { store in
      try subject.compare(store, StoreContent(), "at the second launch")
      try store.commit([.put(SampleRecords.record(1))])
    }
  }

  @Sendable private static func reopen(_ subject: CheckSubject) throws {
    try subject.removeFiles()
    try subject.expectStored(StoreContent(), "after the files were removed")
    try subject.removeFiles()
    // A fixture, which is written without commits, fills the first collection only.
    try subject.backend.type.writeFixture(records, in: subject.environment())
  }
}
