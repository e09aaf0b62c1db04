import Foundation
import StorageContract
import Testing

@testable import StorageBackends
@testable import StorageVerify

@Suite struct PropertyListStatements {
  @Test("P1 every save rewrites the whole file, and both counters agree on it")
  func p1() throws { try expectKept("plist", [P1.self]) }

  /// All types that a property list may contain.
  private static var value: [Any] {
    [
      "222", "111", "222", ["key1": "value1", "key2": ["333", "444"]] as [String: Any], Data([0, 255]), 18, 1.8, true,
      Date(timeIntervalSinceReferenceDate: 86_400), NSMutableString(string: "mutable"), [] as [Any],
      [:] as [String: Any],
    ]
  }

  @Test("P2 the six types come back, nested; any other object is an error and leaves the file alone")
  func p2() throws {
    for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
      let data = try PropertyListSerialization.data(fromPropertyList: Self.value, format: format, options: 0)
      let found = try #require(try PropertyListSerialization.propertyList(from: data, format: nil) as? [Any])
      #expect(found.count == Self.value.count)
      for (found, value) in zip(found, Self.value) {
        #expect((found as? NSObject)?.isEqual(value) == true, "\(value) in format \(format.rawValue)")
      }
      for other: Any in [NSObject(), NSNull(), URL(fileURLWithPath: "/"), Self.self] {
        #expect(throws: CocoaError.self) {
          try PropertyListSerialization.data(fromPropertyList: ["a": [other]], format: format, options: 0)
        }
      }
    }
    try Subject.with(Configuration("plist")) { subject in
      let file = URL(fileURLWithPath: subject.file)
      try (Self.value as NSArray).write(to: file)
      let before = FileManager.default.contents(atPath: subject.file)
      #expect(throws: CocoaError.self) { try ([NSObject()] as NSArray).write(to: file) }
      #expect(before != nil && FileManager.default.contents(atPath: subject.file) == before)
    }
  }

  @Test(
    "P3 an object of one's own becomes a dictionary first: the codec works without a file", arguments: [true, false])
  func p3(_ isCodable: Bool) throws {
    let codec = PropertyListCodec(format: .binary, isCodable: isCodable)
    let data = try codec.encode([("records", Tricky.records)])
    let found = try codec.decode(data, ["records"])[0]
    #expect(zip(found, Tricky.records).allSatisfy { $0.isIdentical(to: $1) } && found.count == Tricky.records.count)
    let root = try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: [[String: Any]]]
    #expect(root?["records"]?.count == Tricky.records.count)
    let keys = root?["records"]?.first?.keys.sorted()
    #expect(keys == ["group", "id", "modified", "name", "payload", "score"])
  }

  @Test("P4 XML can be edited by hand; binary is another format of the same, and smaller")
  func p4() throws {
    var sizes: [Int] = []
    for (format, start) in [("xml", "<?xml"), ("binary", "bplist00")] {
      try Subject.with(Configuration("plist", ["format=\(format)"])) { subject in
        try subject.writeFixture([Tricky.record(1, "as written"), Tricky.record(2, "left alone")])
        var data = try #require(FileManager.default.contents(atPath: subject.file))
        #expect(data.starts(with: start.utf8))
        sizes.append(data.count)
        guard format == "xml" else { return }
        data = Data(String(decoding: data, as: UTF8.self).replacing("as written", with: "edited by hand").utf8)
        try data.write(to: URL(fileURLWithPath: subject.file))
        #expect(try subject.open().records(.all, in: .records).map(\.name) == ["edited by hand", "left alone"])
      }
    }
    #expect(sizes[1] < sizes[0])
  }

  @Test("P5 a crash while saving leaves the old file if it is written atomically, and a torn one if not")
  func p5() throws {
    try expectKept("plist", [P5Atomic.self])
    try expectKept("plist", [P5InPlace.self], options: "atomic=no")
  }

  @Test("P9 what was edited since the last save is lost with the process; the save at the end keeps it")
  func p9() throws { try expectKept("plist", [P9.self]) }
}

struct P1: OneStepCheck {
  @Sendable static func run(_ subject: CheckSubject) throws {
    for count in [Int64(50), 500] {
      try subject.removeFiles()
      try subject.withStore { store in
        try store.commit(SampleRecords.filler(0..<count, bytes: 100))
        let counts = try subject.counting { try store.commit([.put(SampleRecords.record(7, "changed"))]) }
        subject.expect(
          Int(counts.bytes_written) == subject.size, "\(counts.bytes_written) bytes are written of \(subject.size)")
        subject.expect(counts.syncs == 1 && counts.renames == 1, "not one sync and one rename")
      }
    }
  }
}

/// A save that is interrupted at a byte of the file: the kernel kills a process whose file exceeds its limit.
enum DyingSave {
  static let old = SampleRecords.filler(0..<40, bytes: 200)
  static let new = SampleRecords.filler(0..<40, bytes: 300)
  /// Offsets from the start to almost the end of the new file.
  static let offsets = [0, 1, 100, 4_096, 10_000]

  static func write(_ subject: CheckSubject) throws {
    try? subject.removeFiles()
    try subject.withStore { try $0.commit(old) }
  }

  static func die(_ subject: CheckSubject, at offset: Int) throws {
    let store = try subject.open()
    // The parent process may have ignored or blocked the signal.
    signal(SIGXFSZ, SIG_DFL)
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
    var limit = rlimit(rlim_cur: rlim_t(offset), rlim_max: rlim_t(offset))
    try subject.die {
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      try store.commit(new)
    }
  }
}

struct P5Atomic: ConformanceCheck {
  static var steps: Steps {
    [{ try DyingSave.write($0) }]
      + DyingSave.offsets.flatMap { offset -> Steps in
        [{ try DyingSave.die($0, at: offset) }, { try look($0) }]
      }
  }

  private static func look(_ subject: CheckSubject) throws {
    var content = StoreContent()
    content.apply(DyingSave.old)
    try subject.withStore { try subject.compare($0, content, "after a save that died") }
  }
}

struct P5InPlace: ConformanceCheck {
  static var steps: Steps {
    DyingSave.offsets.flatMap { offset -> Steps in
      [{ try DyingSave.write($0) }, { try DyingSave.die($0, at: offset) }, { look($0, offset) }]
    }
  }

  private static func look(_ subject: CheckSubject, _ offset: Int) {
    subject.expect(subject.size == offset, "the file has \(subject.size) bytes, not \(offset)")
    subject.expectError("opening a file of which \(offset) bytes were written", \.isDamaged) {
      try subject.open().close()
    }
  }
}

struct P9: ConformanceCheck {
  private static let (old, new) = (["1", "2", "3", "4"], ["one", "two", "three", "four"])

  static let steps: Steps = [
    { try $0.withStore { try $0.commit(FourLines.changes(old)) } },
    { subject in
      let store = try subject.open()
      // The lines are the app's own array; the store has not received them.
      var lines = try FourLines.texts(store)
      lines[2] = "lost"
      subject.expect(lines.count == 4, "there are \(lines.count) lines")
      subject.kill()
    },
    { subject in
      let store = try subject.open()
      subject.expect(try FourLines.texts(store) == old, "an edit that was never saved is there")
      try store.commit(FourLines.changes(new))
      subject.kill()
    },
    { subject in
      try subject.withStore { store in
        subject.expect(try FourLines.texts(store) == new, "what was saved at the end is lost")
        subject.expect(try store.count(in: .records) == 4, "two saves have made more than four lines")
      }
    },
  ]
}
