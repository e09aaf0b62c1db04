/// What a context holds, by the rules.
struct ReferenceContext {
  struct Object: Equatable {
    /// What was read or saved last; nil for what is to be inserted.
    var base: ReferenceStore.Row?
    var values: ReferenceStore.Values
    var isDeleted = false

    /// Whether a save has to write it.
    var isChanged: Bool { isDeleted || base?.values != values }
  }

  /// One thing that undo takes back.
  private enum Event {
    case inserted(Int)
    case deleted(Int)
    case changed(Int, place: Int, from: Int?)
  }

  var objects: [Int: Object] = [:]
  private var undoGroups: [[Event]] = []
  private var redoGroups: [[Event]] = []
  private var group: [Event] = []

  /// Those that a save writes, deletions aside.
  var toWrite: Set<Int> { Set(objects.filter { $0.value.isChanged && !$0.value.isDeleted }.keys) }

  /// Those that can be changed.
  var living: [Int] { objects.filter { !$0.value.isDeleted }.keys.sorted() }

  // MARK: - Edits

  mutating func insert(_ id: Int, _ values: ReferenceStore.Values) {
    objects[id] = Object(base: nil, values: Array(repeating: nil, count: values.count))
    group.append(.inserted(id))
    for (place, value) in values.enumerated() { set(id, place, value) }
  }

  mutating func set(_ id: Int, _ place: Int, _ value: Int?) {
    guard let object = objects[id] else { return }
    group.append(.changed(id, place: place, from: object.values[place]))
    objects[id]?.values[place] = value
  }

  mutating func delete(_ id: Int) {
    guard let object = objects[id], !object.isDeleted else { return }
    group.append(.deleted(id))
    objects[id]?.isDeleted = true
  }

  /// What was changed since is one thing to undo.
  mutating func endGroup() {
    guard !group.isEmpty else { return }
    undoGroups.append(group)
    group = []
    redoGroups = []
  }

  mutating func forgetUndo() { (undoGroups, redoGroups, group) = ([], [], []) }

  mutating func undo() {
    guard let events = undoGroups.popLast() else { return }
    let back = takeBack(events)
    if !back.isEmpty { redoGroups.append(back) }
  }

  mutating func redo() {
    guard let events = redoGroups.popLast() else { return }
    let back = takeBack(events)
    if !back.isEmpty { undoGroups.append(back) }
  }

  /// - Returns: What takes this back in turn. What has left the context is passed over.
  private mutating func takeBack(_ events: [Event]) -> [Event] {
    for event in events.reversed() {
      switch event {
      case .inserted(let id): delete(id)
      case .changed(let id, let place, let value): set(id, place, value)
      case .deleted(let id):
        guard objects[id]?.isDeleted == true else { continue }
        objects[id]?.isDeleted = false
        group.append(.inserted(id))
      }
    }
    defer { group = [] }
    return group
  }

  // MARK: - The store

  mutating func rollback() {
    for (id, object) in objects {
      objects[id] = object.base.map { Object(base: $0, values: $0.values) }
    }
    forgetUndo()
  }

  /// Forgets everything and reads it anew.
  mutating func reset(_ store: ReferenceStore) {
    objects = store.rows.mapValues { Object(base: $0, values: $0.values) }
    forgetUndo()
  }

  /// Takes over what another context has saved; what was changed here stays, property by property.
  mutating func merge(_ saved: ReferenceStore.Saved, _ store: ReferenceStore) {
    for id in saved.deleted { objects[id] = nil }
    for id in saved.updated {
      guard let row = store.rows[id], var object = objects[id] else { continue }
      let base = object.base?.values ?? Array(repeating: nil, count: row.values.count)
      object.values = row.values.indices.map { object.values[$0] != base[$0] ? object.values[$0] : row.values[$0] }
      object.base = row
      objects[id] = object
    }
    for id in saved.inserted where objects[id] == nil {
      if let row = store.rows[id] { objects[id] = Object(base: row, values: row.values) }
    }
  }
}
