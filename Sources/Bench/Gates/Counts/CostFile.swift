import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageWorkloads

/// The file `costs.csv`, with the expected numbers of written bytes, writes, syncs and allocations of each benchmark.
///
///     save-one,100,lmdb,shipped,ops=2000,bytes=24816000,writes=6000,syncs=4001,allocations=60
struct CostFile: Equatable {
  var header: CostHeader
  var lines: [CostLine]

  var text: String {
    ([CSVText.line(header.fields)] + lines.sorted().map { CSVText.line($0.fields) }).joined(separator: "\n") + "\n"
  }

  static func read(_ path: String) throws -> CostFile {
    guard FileManager.default.fileExists(atPath: path) else {
      throw UsageError("\(path) does not exist; make it with 'check \(path) --update'")
    }
    var text = String(decoding: try AtomicFile.contents(path), as: UTF8.self)
    // Some spreadsheet programs begin a UTF-8 file with a byte order mark.
    if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
    return try parse(text, path: path)
  }

  static func parse(_ text: String, path: String) throws -> CostFile {
    // In some countries, spreadsheet programs separate fields by semicolons.
    let start = text.prefix { !$0.isNewline }
    if !start.contains(","), let other = [";", "\t"].first(where: start.contains) {
      throw UsageError("\(path), line 1: the fields are separated by '\(other)'; save it with commas")
    }
    let lines = try DelimitedText.rows(text, file: path)
    if let line = lines.first(where: { $0.fields.contains { $0.contains("\"") } }) {
      throw UsageError("\(path), line \(line.line): a field has a quotation mark inside; remove the mark")
    }
    guard let first = lines.first else {
      throw UsageError("\(path) is empty; remove it, then make it with 'check \(path) --update'")
    }
    let header = try CostHeader(first.fields, location: "\(path), line \(first.line)")
    let cells = try lines.dropFirst().map {
      try CostLine($0.fields, number: $0.line, location: "\(path), line \($0.line)")
    }
    guard !cells.isEmpty else {
      throw UsageError("\(path) lists no cell; remove it, then make it with 'check \(path) --update'")
    }
    var seen: [String: Int] = [:]
    for line in cells {
      if let earlier = seen.updateValue(line.number, forKey: line.cell.name) {
        throw UsageError("\(path), line \(line.number): \(line.cell.name) is already on line \(earlier); remove one")
      }
    }
    return CostFile(header: header, lines: cells)
  }
}

/// The first line of a `costs.csv`, such as `schema=1,page_size=4096,seed=1,payload=random`.
struct CostHeader: Equatable {
  /// The conditions under which `costs.csv` was measured, such as `4096` for the key `page_size`.
  var facts: [String: String]
  /// The version of each storage engine that was measured for `costs.csv`, such as `LMDB 0.9.24` for the key `lmdb`.
  var engines: [String: String]

  static let schemaVersion = 1

  static let order = ["schema", "architecture", "page_size", "swift", "mode", "seed", "payload", "dataset"]

  init(_ model: ReportModel) {
    let environment = model.environment
    facts = [
      "schema": String(Self.schemaVersion), "architecture": environment.build["architecture"] ?? "",
      "page_size": environment.system["page size"] ?? "", "swift": Self.minor(environment.build["swift"] ?? ""),
      "mode": environment.build["mode"] ?? "", "seed": String(model.plan.seed), "payload": model.plan.payload,
    ]
    facts["dataset"] = model.plan.datasetHash
    engines = Dictionary(grouping: model.rows, by: \.cell.backend.engine).compactMapValues(\.first?.engineVersion)
  }

  /// Returns the first two numbers of a compiler version: `6.3` for `6.3.1`.
  private static func minor(_ version: String) -> String {
    version.split(separator: " ").first.map { $0.split(separator: ".").prefix(2).joined(separator: ".") } ?? ""
  }

  init(_ fields: [String], location: String) throws {
    (facts, engines) = ([:], [:])
    var unread: String?
    for field in fields {
      let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts[1].isEmpty else {
        unread = unread ?? field
        continue
      }
      let id = parts[0].hasPrefix("engine.") ? String(parts[0].dropFirst("engine.".count)) : nil
      guard (id.map { engines[$0] } ?? facts[parts[0]]) == nil else {
        throw UsageError("\(location): \(parts[0])= is given twice; remove one")
      }
      if let id { engines[id] = parts[1] } else { facts[parts[0]] = parts[1] }
    }
    guard let schema = facts["schema"] else {
      throw UsageError(
        "\(location) is not the header of a costs file; give another file, or create one with 'check NEW.csv --update'"
      )
    }
    guard schema == String(Self.schemaVersion) else {
      throw UsageError(
        "\(location): this is schema version \(schema), this build reads \(Self.schemaVersion); "
          + "make a new file with 'check NEW.csv --update'")
    }
    for fact in ["seed", "payload", "page_size"] where facts[fact] == nil {
      throw UsageError("\(location) has no \(fact)=; make a new file with 'check NEW.csv --update'")
    }
    if let unread { throw UsageError("\(location): '\(unread)' is not of the form NAME=VALUE; correct or remove it") }
    for name in facts.keys.sorted() where !Self.order.contains(name) {
      throw UsageError("\(location): " + Nearest.sentence("fact", name, among: Self.order))
    }
    let values: [(String, String, Bool)] = [
      ("seed", "a whole number", UInt64(facts["seed"] ?? "") != nil),
      ("page_size", "a number of bytes", Int(facts["page_size"] ?? "").map { $0 > 0 } == true),
      ("payload", "random or text", GeneratedRecords.Payload(rawValue: facts["payload"] ?? "") != nil),
      ("mode", "debug or release", facts["mode"].map { ["debug", "release"].contains($0) } ?? true),
    ]
    for (name, wanted, isUsable) in values where !isUsable {
      throw UsageError(
        "\(location): \(name)=\(facts[name] ?? "") is not usable; write \(wanted), "
          + "or make a new file with 'check NEW.csv --update'")
    }
  }

  var fields: [String] {
    Self.order.compactMap { name in facts[name].map { "\(name)=\($0)" } }
      + engines.sorted { $0.key < $1.key }.map { "engine.\($0.key)=\($0.value)" }
  }
}

struct CostLine: Equatable, Comparable {
  var cell: Cell
  /// The number of operations whose system calls were counted, such as 2,000 saves. ``counts`` has totals of all
  /// operations.
  var operations: Int
  /// The total numbers of `bytes`, `writes`, `syncs` and `allocations`, such as `4001` for the key `syncs`. A number
  /// that could not be measured is missing.
  var counts: [String: Int]
  /// The line number in `costs.csv`, from 1; 0 for a line that was not read from a file.
  var number = 0
}

extension CostLine {
  init?(_ row: SummaryRow, countsAllocations: Bool) {
    guard row.status == .ok, let cost = row.cost else { return nil }
    var counts: [String: Int] = [:]
    for metric in Measure.committed where countsAllocations || metric.name != "allocations" {
      counts[metric.name] = cost[keyPath: metric.path]
    }
    self.init(cell: row.cell, operations: cost.countedOperations, counts: counts)
  }

  init(_ fields: [String], number: Int, location: String) throws {
    guard fields.count > 4, let records = Int(fields[1]), records > 0 else {
      throw UsageError(
        "\(location) is not a cell; "
          + "write the line like this: save-one,100,lmdb,shipped,ops=2000,bytes=1,writes=1,syncs=1,allocations=1")
    }
    let durability = Durability(rawValue: fields[3])
    guard durability != nil || fields[3] == "-" else {
      throw UsageError(
        "\(location): " + Nearest.sentence("durability", fields[3], among: Durability.allCases.map(\.rawValue) + ["-"]))
    }
    var cell = Cell(
      backend: Spec(verbatim: fields[2]), workload: Spec(verbatim: fields[0]), records: records, durability: durability)
    var numbers: [String: Int] = [:]
    let names = ["record_bytes", "threads", "aged", "memory", "ops"] + Measure.committed.map(\.name)
    for field in fields.dropFirst(4) {
      if field == "cache=cold" {
        guard cell.cache != .cold else { throw UsageError("\(location): cache=cold is given twice; remove one") }
        cell.cache = .cold
        continue
      }
      let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard names.contains(parts[0]) else {
        throw UsageError("\(location): " + Nearest.sentence("field", parts[0], among: names))
      }
      guard parts.count == 2, let value = Int(parts[1]), FileNumbers.count.contains(value), numbers[parts[0]] == nil
      else {
        throw UsageError("\(location): '\(field)' is not a count, or is given twice; write \(parts[0])=NUMBER once")
      }
      numbers[parts[0]] = value
    }
    guard let operations = numbers.removeValue(forKey: "ops"), operations > 0 else {
      throw UsageError(
        "\(location): the number of operations (ops=) is missing or 0; "
          + "write ops=1, then count again with 'check FILE --update'")
    }
    cell.recordBytes = numbers.removeValue(forKey: "record_bytes") ?? cell.recordBytes
    cell.threads = numbers.removeValue(forKey: "threads") ?? cell.threads
    cell.aged = numbers.removeValue(forKey: "aged") ?? cell.aged
    cell.memory = numbers.removeValue(forKey: "memory") ?? cell.memory
    do {
      try cell.checkNumbers()
    } catch let error as FieldError {
      throw UsageError(
        "\(location): \(error.description); correct it, or make a new file with 'check NEW.csv --update'")
    }
    guard !numbers.isEmpty else {
      throw UsageError("\(location) has no count; write bytes=1, then count again with 'check FILE --update'")
    }
    self.init(cell: cell, operations: operations, counts: numbers, number: number)
  }

  var fields: [String] {
    var fields = ["\(cell.workload)", String(cell.records), "\(cell.backend)", cell.durability?.rawValue ?? "-"]
    if cell.recordBytes != 100 { fields.append("record_bytes=\(cell.recordBytes)") }
    if cell.threads != 1 { fields.append("threads=\(cell.threads)") }
    if cell.cache == .cold { fields.append("cache=cold") }
    if cell.aged != 0 { fields.append("aged=\(cell.aged)") }
    if let memory = cell.memory { fields.append("memory=\(memory)") }
    fields.append("ops=\(operations)")
    for metric in Measure.committed {
      if let count = counts[metric.name] { fields.append("\(metric.name)=\(count)") }
    }
    return fields
  }

  static func < (left: CostLine, right: CostLine) -> Bool {
    func key(_ cell: Cell) -> (String, Int, String) { ("\(cell.workload)", cell.records, cell.name) }
    return key(left.cell) < key(right.cell)
  }
}
