import Foundation
import StorageContract
import StorageReport
import Testing

@testable import StorageRunFiles

/// A trial's line is read by code of ours where it is an ordinary one: never otherwise than `JSONDecoder` reads it.
@Suite struct TrialLineTests {
  private let decoder = JSONDecoder()

  private func line(_ trial: Trial) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(trial)
  }

  /// An ordinary trial with everything that is read quickly.
  private static var full: Trial {
    var timing = Timing(
      operations: 8_000, elapsed: 51_441_141, cpu: 51_477_183, min: 826, max: 1_903_316, p25: 9_112.25,
      p50: 10_000.5, batch: 7, histogram: "RgoBBgmXCQGf+/==", clock: 23.64235764235764, resident: 1, checkpoints: 2)
    timing.rate = 1e-7
    (timing.overFrame, timing.overHalfFrame) = (0, 3)
    timing.singlesElapsed = 48_000_001
    var trial = Trial(
      cell: Cell(
        backend: Spec(verbatim: "sqlite:journal=wal"), workload: Spec(verbatim: "import:batch=10"), records: 1_000,
        durability: .durable, threads: 2, cache: .cold, aged: 3, memory: 65_536),
      pass: .timed, round: 3, position: 17, started: 1_795_425_274.6771095, wall: 0.10273909568786621, status: .ok,
      note: "läuft: {3} [4]", settings: "sync=no x=y", streamHash: "10534cb0a55b4d25", predicted: 12.5, timing: timing)
    trial.machine = "abcd@n1"
    trial.inMemory = false
    trial.resumed = true
    return trial
  }

  /// A cost pass with everything that is counted.
  private static var counted: Trial {
    var cost = Cost(countedOperations: 8)
    for (number, count) in PlainJSON.counts.values.enumerated() { cost[keyPath: count] = 1_000 + number }
    cost.digest = "93a1f00b5c2d7e48"
    var trial = Trial(cell: full.cell, pass: .cost, started: 0.5, wall: 1.5, status: .ok, cost: cost)
    trial.findings = [Finding("lost_updates", 3), Finding("wait_p99_ns", 0.25, .max)]
    return trial
  }

  /// A timed trial of a mix.
  private static var mixed: Trial {
    var timing = Timing(operations: 4, elapsed: 9_000, cpu: 8_000, p25: 2_250, p50: 2_250, clock: 20)
    timing.kinds = [
      KindTiming(kind: "read", operations: 2, max: 1_200, histogram: "RgoB"),
      KindTiming(kind: "update", operations: 2, max: 7_000, histogram: "BgmX"),
    ]
    return Trial(cell: full.cell, pass: .timed, round: 1, started: 0.5, wall: 1.5, status: .ok, timing: timing)
  }

  /// A count that was added to ``Cost`` and is not read quickly would make every cost pass ten times as slow to read.
  @Test func everyCountIsReadQuickly() throws {
    let cost = try #require(Self.counted.cost)
    for field in Mirror(reflecting: cost).children {
      let value = Mirror(reflecting: field.value)
      #expect(value.displayStyle != .optional || !value.children.isEmpty, "\(field.label ?? "?")")
    }
  }

  @Test func ordinaryTrialsAreReadQuicklyAndAlike() throws {
    let quick = TrialLineDecoder()
    var failed = Trial(
      cell: Self.full.cell, pass: .cost, started: 0, wall: -1.5e+20, status: .failed, cost: Cost(countedOperations: 8))
    failed.cost?.bytesWritten = 1 << 52
    // A cell that only reads, of a young store with all memory, has fewer fields.
    failed.cell = Cell(backend: Spec(id: "lmdb"), workload: Spec(id: "read-one"), records: 10, durability: nil)
    for trial in [Self.full, Self.counted, Self.mixed, failed] {
      let line = try line(trial)
      // Twice, since a cell is remembered; and as a piece of something longer, as lines of a file are.
      for bytes in [line, line, (Data("xx".utf8) + line + Data("\n".utf8))[2..<2 + line.count]] {
        #expect(quick.quickly(bytes, decoder) == trial)
      }
    }
  }

  /// What thousands of cells share at their beginning must not make looking one up as long as there are cells.
  @Test func cellsAreFoundByAllOfTheirBytes() {
    let start = String(repeating: "x", count: 200)
    let cells = (100..<200).map { TrialLineDecoder.CellText(bytes: Data("\(start)\($0)".utf8)) }
    #expect(Set(cells.map(\.hashValue)).count == cells.count)
    #expect(Set(cells + cells).count == cells.count)
  }

  @Test(arguments: [
    #""note":"a \" quote","#, #""note":null,"#, #""unknown":1,"#, #""round":4,"round":5,"#, #""wall": 1,"#,
    #""findings":[],"#,
    #""cost":{},"#, #""cost":{"syncs":1},"#, #""cost":{"counted_operations":1,"unknown":1},"#,
    #""cost":{"counted_operations":1,"syncs":1,"syncs":2},"#,
    #""cost":{"counted_operations":1,"counted_operations":2},"#, #""findings":[{"name":"a","value":1}],"#,
    #""findings":[{"name":"a","value":1,"rule":"mean"}],"#, #""cost":{"counted_operations":1,"syncs":null},"#,
  ])
  func theRestIsLeftToTheDecoder(member: String) throws {
    let text = String(decoding: try line(Self.full), as: UTF8.self)
    let other = Data(text.replacing("{\"cell\"", with: "{\(member)\"cell\"", maxReplacements: 1).utf8)
    let quick = TrialLineDecoder()
    #expect(quick.quickly(other, decoder) == nil)
    #expect((try? quick.trial(other, decoder)) == (try? decoder.decode(Trial.self, from: other)))
  }

  @Test func everyCellIsReadQuickly() throws {
    for cell in [
      Self.full.cell, Cell(backend: Spec(id: "lmdb"), workload: Spec(id: "scan"), records: 9, durability: nil),
    ] {
      let bytes = try JSONEncoder().encode(cell)
      #expect(
        try bytes.withUnsafeBytes { bytes in
          var json = PlainJSON(bytes)
          return try json.cell()
        } == cell)
    }
  }

  @Test(arguments: [full, counted, mixed])
  func nothingIsTakenThatTheDecoderRefusesOrReadsOtherwise(trial: Trial) throws {
    let quick = TrialLineDecoder()
    let line = try line(trial)
    var taken = 0
    func compare(_ bytes: Data) {
      guard let mine = quick.quickly(bytes, decoder) else { return }
      taken += 1
      let theirs = try? decoder.decode(Trial.self, from: bytes)
      #expect(mine == theirs, "\(String(decoding: bytes, as: UTF8.self))")
    }
    for place in line.indices {
      compare(line.prefix(place))
      // In turns, so that every kind of byte comes to every kind of place.
      for (number, byte) in Array("0-.e\"\\{},: t9\u{1}".utf8).enumerated() where (place + number) % 3 == 0 {
        var changed = line
        changed[place] = byte
        compare(changed)
      }
      var longer = line
      longer.insert(UInt8(ascii: "0"), at: place)
      compare(longer)
      compare(line.prefix(place) + line.dropFirst(place + 1))
    }
    // Digits and letters within texts were changed, and lines stayed ordinary.
    #expect(taken > 300)
    for number in ["1e999", "1e-999", "01", "-0", "1.", ".5", "0.0", "1e5", "9223372036854775808", "-", "0x10", "1E+2"]
    {
      let text = String(decoding: line, as: UTF8.self)
      for name in ["\"wall\":", "\"round\":", "\"cpu\":", "\"syncs\":", "\"threads\":"] {
        compare(Data(text.replacing(try Regex("\(name)[^,}]*"), with: name + number).utf8))
      }
    }
  }
}
