import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageTrial
import StorageWorkloads
import TestSupport
import Testing

@testable import StorageBench

/// Compares the gates with independent code, on two runs and a `costs.csv` with random changes: a gate passes only if
/// everything was compared and no count has grown.
@Suite struct GateTests {
  private let temporary = TemporaryDirectory()

  private let trials = ProcessInfo.processInfo.environment["GATE_TRIALS"].flatMap { Int($0) } ?? repetitions(80)

  /// One cell of an altered run.
  private struct Entry: Equatable {
    var status = Status.ok
    var operations = 8
    var counts: [String: Int]? = ["bytes": 800, "writes": 16, "syncs": 8]
    var engine = true
    var stream = "s"
  }

  private static let cells = ["lmdb", "plist", "sqlite"].flatMap { id in
    [10, 20].map { records in
      Cell(backend: Spec(id: id), workload: Spec(id: "save-one"), records: records, durability: .shipped)
    }
  }

  private func write(_ name: String, _ entries: [Cell: Entry], seed: UInt64) throws -> ReportModel {
    let cells = Self.cells.filter { entries[$0] != nil }
    let plan = Plan(
      seed: seed, rounds: 0,
      cells: cells.map { cell in
        let isRefused = entries[cell]?.status == .notAvailable
        var planned = PlannedCell.sample(
          cell, refusal: isRefused ? .init(status: .notAvailable, note: "it cannot") : nil)
        planned.engineVersion = entries[cell]?.engine == true ? "1" : "2"
        return planned
      })
    let directory = try temporary.begin(plan, in: name)
    let journal = try Journal(directory)
    for cell in cells {
      guard let entry = entries[cell], entry.status != .skipped, entry.status != .notAvailable else { continue }
      var trial = Trial(cell: cell, pass: .cost, started: 1, wall: 1, status: entry.status)
      if entry.status == .failed { trial.note = "it fell over" }
      if entry.status == .ok, let counts = entry.counts {
        var cost = Cost(countedOperations: entry.operations)
        cost.bytesChanged = 100
        cost.bytesWrittenSettled = counts["bytes"]
        cost.writeCalls = counts["writes"]
        cost.syncsSettled = counts["syncs"]
        trial.cost = cost
        trial.streamHash = entry.stream
      }
      try journal.append(trial, synced: false)
    }
    return try ReportModel(reading: directory)
  }

  /// Returns whether every cell of the base was counted on both sides and no count grew. By other code than the gate's.
  private static func isGreen(_ base: [Cell: Entry], _ head: [Cell: Entry]) -> Bool {
    var compared = 0
    for (cell, before) in base {
      guard let now = head[cell] else { return false }
      if before.status == .notAvailable, now.status == .notAvailable { continue }
      guard before.status == .ok, now.status == .ok, before.engine == now.engine, before.stream == now.stream,
        before.operations == now.operations, let old = before.counts, let new = now.counts, !old.isEmpty,
        Set(old.keys) == Set(new.keys)
      else { return false }
      for (name, count) in old where (new[name] ?? .max) > count { return false }
      for counts in [old, new] where counts.values.contains(0) { return false }
      compared += 1
    }
    return compared > 0
  }

  @Test func `two runs are the same only where everything was compared`() throws {
    var generator = RandomStream(seed: 1)
    var (greens, reds) = (0, 0)
    for trial in 0..<trials {
      let entries = Dictionary(uniqueKeysWithValues: Self.cells.map { ($0, Entry()) })
      // Half of the changes are made to both sides.
      var sides = [entries, entries]
      let alterations = generator.below(4)
      for _ in 0..<alterations {
        let cell = Self.cells[generator.below(Self.cells.count)]
        let both = generator.below(2) == 0
        let side = generator.below(2)
        func alter(_ change: (inout Entry) -> Void) {
          for index in [0, 1] where both || index == side {
            if var entry = sides[index][cell] {
              change(&entry)
              sides[index][cell] = entry
            }
          }
        }
        switch generator.below(9) {
        case 0: for index in [0, 1] where both || index == side { sides[index][cell] = nil }
        case 1: alter { $0.status = .failed }
        case 2: alter { $0.status = .skipped }
        case 3: alter { $0.status = .notAvailable }
        case 4: alter { $0.counts = nil }
        case 5: alter { $0.counts = [:] }
        case 6: alter { $0.operations = 4 }
        case 7:
          let bytes = [700, 800, 900, 0][generator.below(4)]
          alter { $0.counts?["bytes"] = bytes }
        default: alter { $0.engine = false }
        }
      }
      if generator.below(20) == 0 {
        for cell in Self.cells { sides[0][cell]?.status = .skipped; sides[1][cell]?.status = .skipped }
      }
      guard !sides[0].isEmpty, !sides[1].isEmpty else { continue }
      let (base, head) = try (
        write("b\(trial)", sides[0], seed: 1), write("h\(trial)", sides[1], seed: generator.below(20) == 0 ? 2 : 1)
      )
      let status: Int32
      do {
        status = try RunsComparison(base: base, head: head, tolerances: Tolerances()).comparison().status()
      } catch is UsageError {
        status = ExitStatus.usage
      }
      let isGreen = Self.isGreen(sides[0], sides[1]) && base.plan.seed == head.plan.seed
      #expect((status == ExitStatus.ok) == isGreen, "trial \(trial): \(status), \(sides)")
      if isGreen { greens += 1 } else { reds += 1 }
      for name in ["b\(trial)", "h\(trial)"] { try FileManager.default.removeItem(atPath: "\(temporary.path)/\(name)") }
    }
    #expect(greens > trials / 10 && reds > trials / 10)
  }

  /// Returns the fields of a line of a costs file that identify its cell.
  private static func identity(_ fields: [String]) -> String {
    (fields.prefix(4) + fields.dropFirst(4).filter { ["cache=cold", "record_bytes=2000"].contains($0) }.sorted())
      .joined(separator: ",")
  }

  /// Returns whether a costs file has every count of its cells, none higher here. By other code than the gate's.
  private static func isGreen(_ text: String, _ head: [String: [String: Int]]) -> Bool {
    let lines = text.split(separator: "\n").map { $0.components(separatedBy: ",") }
    let facts = (lines.first ?? []).map { fact in
      [String(fact.prefix { $0 != "=" }), String(fact.drop { $0 != "=" }.dropFirst())]
    }
    guard lines.count > 1, facts.allSatisfy({ !$0[1].isEmpty }), Set(facts.map { $0[0] }).count == facts.count,
      Set(lines.dropFirst().map { $0.filter { !$0.contains("=") || $0 == "cache=cold" } }).count == lines.count - 1
    else { return false }
    let known = Dictionary(uniqueKeysWithValues: facts.map { ($0[0], $0[1]) })
    let wanted = ["schema": "1", "page_size": "4096", "payload": "random", "engine.page": "Page 1.0"]
    guard wanted.allSatisfy({ known[$0] == $1 }), known["seed"].flatMap({ UInt64($0) }) != nil,
      Set(known.keys).isSubset(of: wanted.keys + ["seed", "swift", "mode", "architecture"]),
      ["debug", "release", nil].contains(known["mode"])
    else { return false }
    let comparesAllocations = known["swift"] == "6.3" && known["mode"] == "release" && known["architecture"] == "x86_64"
    for line in lines.dropFirst() {
      guard line.count > 4, let now = head[identity(line)] else { return false }
      var counts: [String: Int] = [:]
      for field in line.dropFirst(4) where !["cache=cold", "record_bytes=2000"].contains(field) {
        let parts = field.components(separatedBy: "=")
        guard parts.count == 2, let number = Int(parts[1]), counts.updateValue(number, forKey: parts[0]) == nil,
          now[parts[0]] != nil || parts[0] == "allocations"
        else { return false }
        counts[parts[0]] = number
      }
      guard counts["ops"] == now["ops"] else { return false }
      for (name, count) in now where name != "ops" && (name != "allocations" || comparesAllocations) {
        guard let committed = counts[name], line[0] == "read-one" || (committed > 0 && count > 0),
          Double(count) <= Double(committed) * (name == "allocations" ? 1.01 : 1)
        else { return false }
      }
    }
    return true
  }

  @Test func `a build is as committed only where everything was compared`() throws {
    var generator = RandomStream(seed: 1)
    let original = CostFileTests.text.split(separator: "\n").map(String.init)
    let file = try CostFile.parse(CostFileTests.text, path: "c.csv")
    var greens = 0
    for trial in 0..<trials {
      var lines = original
      func alter(_ line: Int, _ change: (inout [String]) -> Void) {
        guard line < lines.count else { return }
        var fields = lines[line].components(separatedBy: ",")
        change(&fields)
        lines[line] = fields.joined(separator: ",")
      }
      for _ in 0..<generator.below(3) {
        let line = generator.below(lines.count + 1) % max(1, lines.count)
        let column = generator.below(9)
        switch generator.below(9) {
        case 0 where !lines.isEmpty: lines.remove(at: line)
        case 1 where !lines.isEmpty: lines.append(lines[line])
        case 2: alter(line) { if column < $0.count { $0.remove(at: column) } }
        case 3: alter(line) { if column < $0.count { $0.append($0[column]) } }
        case 4, 5, 6:
          let digit = generator.below(10)
          alter(line) { fields in
            guard column < fields.count, let end = fields[column].last, end.isNumber else { return }
            fields[column] = fields[column].dropLast() + "\(digit)"
          }
        case 7: alter(line) { if column < $0.count { $0[column] += ["x", "=", "-", " "][column % 4] } }
        default: alter(line) { if column < $0.count, $0.count > 1 { $0.swapAt(column, $0.count - 1) } }
        }
      }
      let text = lines.map { $0 + "\n" }.joined()
      let (changed, kind) = (generator.below(file.lines.count), generator.below(16))
      var head: [String: [String: Int]] = [:]
      let model = CostFileTests.model(file) { row in
        if row.cell == file.lines[changed].cell {
          switch kind {
          case 0: row.status = .failed
          case 1: row.cost = nil
          case 2: row.cost?.writeCalls? += 1
          case 3: row.cost?.bytesWrittenSettled? -= 1
          case 4: row.cost?.allocations? += 1_000_000
          case 5: row.cost?.syncsSettled = 0
          default: break
          }
        }
        guard row.status == .ok, let cost = row.cost else { return }
        head[Self.identity(CostLine(cell: row.cell, operations: 1, counts: [:]).fields)] = [
          "ops": cost.countedOperations, "bytes": cost.bytesWrittenSettled, "writes": cost.writeCalls,
          "syncs": cost.syncsSettled, "allocations": cost.allocations,
        ].compactMapValues { $0 }
      }
      let status: Int32
      do {
        let check = try CostCheck(file: .parse(text, path: "c.csv"), path: "c.csv", tolerances: Tolerances())
        let builder = try PlanBuilder(
          catalog: Catalog.page, cells: CellOptions.parse([]), profile: .counts)
        _ = try check.plannedCells(builder)
        status = try check.comparison(model).status()
      } catch is UsageError {
        status = ExitStatus.usage
      }
      let isGreen = Self.isGreen(text, head)
      #expect((status == ExitStatus.ok) == isGreen, "trial \(trial), change \(kind): \(status)\n\(text)")
      if isGreen { greens += 1 }
    }
    #expect(greens > trials / 10 && greens < trials * 9 / 10, "\(greens)")
  }
}
