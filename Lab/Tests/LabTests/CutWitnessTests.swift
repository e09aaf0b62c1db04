import Testing

@_spi(Lab) @testable import StorageVerify
@testable import lab

private func call(
  _ kind: LoggedCall.Kind, _ name: String, to otherName: String = "", file: UInt64 = 0, offset: UInt64 = 0,
  truncates: Bool = false, _ data: String = ""
) -> LoggedCall {
  LoggedCall(
    kind: kind, name: name, otherName: otherName, file: file, replaced: 0, offset: offset,
    length: UInt64(data.utf8.count), result: 0, isSynchronous: false, truncates: truncates, isFault: false, began: 0,
    ended: 0, data: Array(data.utf8))
}

/// The comparison of the files after a power cut with the disk models.
@Suite struct CutWitnessTests {
  private static let replacing = [
    call(.create, "t", file: 2), call(.write, "t", file: 2, "new"), call(.sync, "t", file: 2),
    call(.rename, "t", to: "f", file: 2),
  ]

  /// Returns the models that allow these files after the calls of the store that replaces its file, without a sync of
  /// the directory.
  private static func allowing(_ files: [String: String], after calls: [LoggedCall]) throws -> Set<String> {
    var left = ReplayedFiles()
    for (number, (name, text)) in files.enumerated() {
      try left.apply(call(.create, name, file: UInt64(number + 1)))
      try left.apply(call(.write, name, file: UInt64(number + 1), text))
    }
    var base = ReplayedFiles()
    for call in [call(.create, "f", file: 1), call(.write, "f", file: 1, "old")] { try base.apply(call) }
    let mark = call(.acknowledge, "", offset: 1)
    let witness = try CutWitness(base: base, log: CallLog(calls: calls + [mark]))
    return Set(witness.explanations(of: left, afterSaves: 1).keys)
  }

  @Test func whatAModelAllowsIsExplained() throws {
    let all: Set = ["strict", "ext4-like", "ext4-no-journal"]
    #expect(try Self.allowing(["f": "old", "t": "new"], after: Self.replacing) == all)
    #expect(try Self.allowing(["f": "new"], after: Self.replacing) == all)
    // The synced file has lost its name.
    #expect(try Self.allowing(["f": "old"], after: Self.replacing) == ["strict"])
    let unsynced = [Self.replacing[0], Self.replacing[1], Self.replacing[3]]
    #expect(try Self.allowing(["f": ""], after: unsynced) == all)
    #expect(try Self.allowing(["f": "\0\0\0"], after: unsynced) == ["strict", "ext4-no-journal"])
    // Real file systems append to a block that exists.
    let appended = [call(.write, "f", file: 1, offset: 3, "XY")]
    #expect(try Self.allowing(["f": "old\0\0"], after: appended) == all)
    let pages = String(repeating: "a", count: 4_096) + String(repeating: "b", count: 100)
    let long = [call(.create, "g", file: 2), call(.write, "g", file: 2, pages)]
    #expect(try Self.allowing(["f": "old", "g": String(pages.prefix(4_096))], after: long) == all)
  }

  /// So many unsynced changes have too many combinations to try them all.
  @Test func `a disk that no save has reached is explained after many saves`() throws {
    let saves = (2..<22).flatMap { file -> [LoggedCall] in
      let number = UInt64(file)
      return [
        call(.create, "t", file: number), call(.write, "t", file: number, "new \(file)"),
        call(.rename, "t", to: "f", file: number),
      ]
    }
    let all: Set = ["strict", "ext4-like", "ext4-no-journal"]
    #expect(try Self.allowing(["f": "old"], after: saves) == all)
    #expect(try Self.allowing(["f": "new 21"], after: saves) == all)
    #expect(try Self.allowing(["f": "newer"], after: saves).isEmpty)
  }

  @Test func whatNoModelAllowsIsNot() throws {
    for files in [["f": "odd"], ["f": "ne"], [:], ["f": "old", "x": ""], ["f": "newer"], ["f": ""]] {
      #expect(try Self.allowing(files, after: Self.replacing).isEmpty, "\(files)")
    }
    // The file and its directory are synced, so it is there.
    let synced = Self.replacing + [call(.syncDirectory, "")]
    #expect(try Self.allowing(["f": "old", "t": "new"], after: synced).isEmpty)
    #expect(try Self.allowing(["f": "new"], after: synced).count == 3)
    let appended = [call(.write, "f", file: 1, offset: 3, "XY"), call(.sync, "f", file: 1)]
    #expect(try Self.allowing(["f": "old"], after: appended).isEmpty)
    #expect(try Self.allowing(["f": "old\0\0"], after: appended).isEmpty)
  }

  /// Names and inodes reach the disk independently without a journal, and data after a truncation comes with it.
  @Test func whatOneModelAloneForbidsIsNotAllowedByIt() throws {
    #expect(try Self.allowing(["t": "new"], after: Self.replacing) == ["ext4-no-journal"])
    let calls = [call(.open, "f", file: 1, truncates: true), call(.write, "f", file: 1, "n")]
    #expect(try Self.allowing(["f": "nld"], after: calls) == ["strict", "ext4-no-journal"])
  }
}
