import Foundation
import StorageContract

/// A check of saves to a full disk: each commit must throw an error, and the old content must stay readable.
struct FullDiskCheck: ConformanceCheck {
  static let id = "full-disk"
  static let promise = "a full disk is an error, with the old content readable"
  static let steps: Steps = [check]
  static let disk = ChildDisk.own(16 << 20)

  static func exemption(_ subject: CheckedBackend) -> String? {
    if subject.deviates(from: .fullDisk) { return "its description says what a full disk does instead" }
    return subject.writesLater
  }

  @Sendable private static func check(_ subject: CheckSubject) throws {
    var content = StoreContent()
    let before = SampleRecords.filler(0..<20, bytes: 5_000)
    let store = try subject.open()
    try content.commit(before, to: store)
    for room in [0, 8_000, 40_000, 130_000, 250_000] {
      let when = "on a disk with \(room) bytes left"
      // A background thread of the engine may be about to remove files and free space, so it gets time to finish.
      if !subject.backend.type.description.isDeterministic { usleep(200_000) }
      try subject.directories.fill(leaving: room)
      subject.expectError("a commit of 800 kB \(when)") {
        if case .full = $0 { true } else { false }
      } _: {
        try store.commit([.delete(0)] + SampleRecords.filler(10..<18, bytes: 100_000))
      }
      // A store with the safety level fragile may lose everything on a full disk, but it must report the error.
      if subject.backend.level == .fragile {
        try FileManager.default.removeItem(atPath: subject.directories.filler)
        try? store.close()
        return
      }
      try subject.compare(store, content, "after a failed commit \(when)")
      try FileManager.default.removeItem(atPath: subject.directories.filler)
      try content.commit([.put(SampleRecords.record(Int64(1_000 + room)))], to: store)
    }
    try store.close()
    try subject.expectStored(content, "after reopening where there was no room")
  }
}
