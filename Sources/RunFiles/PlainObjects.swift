import StorageContract

/// The objects of a trial's line. Whatever is not as it is written makes the line ``Unsupported``.
extension PlainJSON {
  /// What a timed trial measured.
  mutating func timing() throws -> Timing {
    var seen = SeenNames()
    var timing = Timing(operations: 0, elapsed: 0, cpu: 0, p25: 0, p50: 0, clock: 0)
    try object { json, name in
      switch name {
      case "operations": try seen.note(0, timing.operations = json.integer())
      case "elapsed": try seen.note(1, timing.elapsed = Int64(json.integer()))
      case "cpu": try seen.note(2, timing.cpu = Int64(json.integer()))
      case "p25": try seen.note(3, timing.p25 = json.number())
      case "p50": try seen.note(4, timing.p50 = json.number())
      case "clock": try seen.note(5, timing.clock = json.number())
      case "min": try seen.note(6, timing.min = Int64(json.integer()))
      case "max": try seen.note(7, timing.max = Int64(json.integer()))
      case "batch": try seen.note(8, timing.batch = json.integer())
      case "histogram": try seen.note(9, timing.histogram = json.text())
      case "resident": try seen.note(10, timing.resident = json.number())
      case "checkpoints": try seen.note(11, timing.checkpoints = json.integer())
      case "rate": try seen.note(12, timing.rate = json.number())
      case "overFrame": try seen.note(13, timing.overFrame = json.integer())
      case "overHalfFrame": try seen.note(14, timing.overHalfFrame = json.integer())
      case "singlesElapsed": try seen.note(15, timing.singlesElapsed = Int64(json.integer()))
      case "kinds": try seen.note(16, timing.kinds = json.array { try $0.kind() })
      default: throw PlainJSON.Unsupported()
      }
    }
    guard seen.hasFirst(6) else { throw PlainJSON.Unsupported() }
    return timing
  }

  private mutating func kind() throws -> KindTiming {
    var seen = SeenNames()
    var kind = KindTiming(kind: "", operations: 0, max: 0, histogram: "")
    try object { json, name in
      switch name {
      case "kind": try seen.note(0, kind.kind = json.text())
      case "operations": try seen.note(1, kind.operations = json.integer())
      case "max": try seen.note(2, kind.max = Int64(json.integer()))
      case "histogram": try seen.note(3, kind.histogram = json.text())
      default: throw Unsupported()
      }
    }
    guard seen.hasFirst(4) else { throw Unsupported() }
    return kind
  }

  /// What a workload found out besides.
  mutating func finding() throws -> Finding {
    var seen = SeenNames()
    var finding = Finding("", 0)
    var rule: Finding.Rule?
    try object { json, name in
      switch name {
      case "name": try seen.note(0, finding.name = json.text())
      case "value": try seen.note(1, finding.value = json.number())
      case "rule": try seen.note(2, rule = Finding.Rule(rawValue: json.text()))
      default: throw Unsupported()
      }
    }
    guard seen.hasFirst(3), let rule else { throw Unsupported() }
    finding.rule = rule
    return finding
  }

  /// What a cost pass counted.
  mutating func cost() throws -> Cost {
    var cost = Cost(countedOperations: 0)
    var hasOperations = false
    try object { json, name in
      switch name {
      case "counted_operations" where !hasOperations:
        cost.countedOperations = try json.integer()
        hasOperations = true
      case "digest" where cost.digest == nil: cost.digest = try json.text()
      default:
        guard let count = Self.counts[name], cost[keyPath: count] == nil else { throw Unsupported() }
        cost[keyPath: count] = try json.integer()
      }
    }
    guard hasOperations else { throw Unsupported() }
    return cost
  }

  /// The fields of a cost that are counts, by their names in the file.
  static let counts = Dictionary(uniqueKeysWithValues: Measure.all.map { ($0.column, $0.path) })

  /// A cell, by its columns.
  mutating func cell() throws -> Cell {
    var seen = SeenNames()
    var (backend, options, workload) = ("", "", "")
    var cell = Cell(backend: Spec(id: ""), workload: Spec(id: ""), records: 0, durability: nil)
    var cache: CacheState?
    try object { json, name in
      switch name {
      case "backend": try seen.note(0, backend = json.text())
      case "options": try seen.note(1, options = json.text())
      case "workload": try seen.note(2, workload = json.text())
      case "records": try seen.note(3, cell.records = json.integer())
      case "record_bytes": try seen.note(4, cell.recordBytes = json.integer())
      case "threads": try seen.note(5, cell.threads = json.integer())
      case "cache": try seen.note(6, cache = CacheState(rawValue: json.text()))
      case "durability":
        guard let level = try Durability(rawValue: json.text()) else { throw Unsupported() }
        try seen.note(7, cell.durability = level)
      case "aged": try seen.note(8, cell.aged = json.integer())
      case "memory": try seen.note(9, cell.memory = json.integer())
      default: throw Unsupported()
      }
    }
    guard seen.hasFirst(7), let cache else { throw Unsupported() }
    cell.backend = Spec(id: backend, options: Options(verbatim: options))
    (cell.workload, cell.cache) = (Spec(verbatim: workload), cache)
    return cell
  }
}

/// Which names of an object were there: each once, and none missing of those that must be.
struct SeenNames {
  private var bits: UInt32 = 0

  mutating func note(_ bit: UInt32, _ value: @autoclosure () throws -> Void = ()) throws {
    guard bits & (1 << bit) == 0 else { throw PlainJSON.Unsupported() }
    bits |= 1 << bit
    try value()
  }

  func hasFirst(_ count: UInt32) -> Bool { bits & ((1 << count) - 1) == (1 << count) - 1 }
}
