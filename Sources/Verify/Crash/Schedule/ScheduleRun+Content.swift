import StorageContract

// The saves of the two processes, and the content of the store after them.
extension ScheduleRun {
  /// The first key of the records that the two processes put. All other keys in the store are smaller.
  static let firstKey: Int64 = 1 << 40
  static let keysOfAProcess = 100
  /// The collection for twins. Each save puts a record and a copy of the record, the twin. A store with only one of the
  /// two has half of the save.
  var twin: CollectionID {
    history.collections.count > 1 ? CollectionID(history.collections.count - 1) : .records
  }
  var firstTwin: Int64 { Self.firstKey + (twin == .records ? Int64(2 * Self.keysOfAProcess) : 0) }

  /// Returns the two changes of a save by one of the two processes: a record, and its copy in the collection ``twin``.
  func saveChanges(_ process: Int, _ number: Int) -> [Change] {
    let index = Int64(process * Self.keysOfAProcess + number)
    let record = Record(
      id: Self.firstKey + index, name: "save \(number + 1) of process \(process + 1)", group: "scheduled",
      score: Double(number), modified: 0, payload: Array(repeating: UInt8(number + 1), count: 100))
    var other = record
    other.id = firstTwin + index
    return [.put(record), .put(other, in: twin)]
  }

  func set(_ state: State, _ process: Int, _ index: Int) {
    memory[process * 16 + index] = state.rawValue
  }

  /// Returns the number of saves that a process has begun (`begun`) or finished (`done`). Saves finished after a
  /// simulated power cut are not `done`.
  func saves(_ process: Int, _ state: State) -> Int {
    if state == .done, let acknowledged { return acknowledged[process] }
    return programs.steps[process].indices.count { index in
      programs.steps[process][index] == .save && memory[process * 16 + index] >= state.rawValue
    }
  }

  /// Opens the store that the two processes have used, and returns the first flaw in its content; nil if there is none.
  func flaw() throws -> CrashFlaw? {
    let store = try type.init(opening: environment)
    if let damage = try (store as? any Scheduled)?.findDamage() {
      return (.torn, true, "the engine's own check of the store finds: \(damage)")
    }
    let content = try StoreContent(reading: store, collections: history.collections.count)
    try store.close()
    var expected = history.content(after: base)
    var lost: [String] = []
    for process in 0..<2 {
      var isGap = false
      for number in 0..<saves(process, .begun) {
        let changes = saveChanges(process, number)
        let there = changes.count { content.records($0.record.id...$0.record.id, in: $0.collection).count == 1 }
        let name = "save \(number + 1) of process \(process + 1)"
        if there == 1 { return (.torn, true, "half of \(name) is there") }
        if there > 0 { expected.apply(changes) } else if number < saves(process, .done) { lost.append(name) }
        if there > 0, isGap, acknowledged != nil {
          return (.torn, true, "\(name) is there without the one before it")
        }
        isGap = there == 0
      }
    }
    if let difference = content.difference(from: expected, history.collections) {
      return (.torn, true, (lost.isEmpty ? "" : Self.lost(lost) + ", and ") + difference)
    }
    // Below the level durable, a power cut may undo the last saves.
    let isWithin = acknowledged != nil && level < .durable
    return lost.isEmpty ? nil : (isWithin ? .lostWithin : .lostAgainst, true, Self.lost(lost))
  }

  private static func lost(_ saves: [String]) -> String {
    "\(saves.joined(separator: " and ")) \(saves.count == 1 ? "was" : "were") acknowledged and \(saves.count == 1 ? "is" : "are") gone"
  }
}
