/// The objects of a context, by the rules.
struct ReferenceContext {
  struct Object: Equatable {
    /// The row that was read or saved last; nil for a new object.
    var base: ReferenceStore.Row?
    var values: ReferenceStore.Values
    var isDeleted = false

    /// Whether a save has to write it.
    var isChanged: Bool { isDeleted || base?.values != values }
  }

  /// A change that undo takes back.
  private enum Event {
    case inserted(Int)
    case deleted(Int)
    case changed(Int, index: Int, from: Int?)
  }

  var objects: [Int: Object] = [:]
  private var undoGroups: [[Event]] = []
  private var redoGroups: [[Event]] = []
  private var group: [Event] = []

  /// The objects that a save writes, without deletions.
  var toWrite: Set<Int> { Set(objects.filter { $0.value.isChanged && !$0.value.isDeleted }.keys) }

  /// The objects that can be changed.
  var living: [Int] { objects.filter { !$0.value.isDeleted }.keys.sorted() }

  // MARK: - Edits

  mutating func insert(_ id: Int, _ values: ReferenceStore.Values) {
    objects[id] = Object(base: nil, values: Array(repeating: nil, count: values.count))
    group.append(.inserted(id))
    for (index, value) in values.enumerated() { set(id, index, value) }
  }

  mutating func set(_ id: Int, _ index: Int, _ value: Int?) {
    guard let object = objects[id] else { return }
    group.append(.changed(id, index: index, from: object.values[index]))
    objects[id]?.values[index] = value
  }

  mutating func delete(_ id: Int) {
    guard let object = objects[id], !object.isDeleted else { return }
    group.append(.deleted(id))
    objects[id]?.isDeleted = true
  }

  /// Makes an undo group of the changes since the last one.
  mutating func endGroup() {
    guard !group.isEmpty else { return }
    undoGroups.append(group)
    group = []
    redoGroups = []
  }

  mutating func forgetUndo() { (undoGroups, redoGroups, group) = ([], [], []) }

  mutating func undo() { takeBack(\.undoGroups, to: \.redoGroups) }
  mutating func redo() { takeBack(\.redoGroups, to: \.undoGroups) }

  /// Reverses the last group, and makes a group of what reverses that. Objects that have left the context are skipped.
  private mutating func takeBack(
    _ groups: WritableKeyPath<Self, [[Event]]>, to others: WritableKeyPath<Self, [[Event]]>
  ) {
    for event in (self[keyPath: groups].popLast() ?? []).reversed() {
      switch event {
      case .inserted(let id): delete(id)
      case .changed(let id, let index, let value): set(id, index, value)
      case .deleted(let id):
        guard objects[id]?.isDeleted == true else { continue }
        objects[id]?.isDeleted = false
        group.append(.inserted(id))
      }
    }
    if !group.isEmpty { self[keyPath: others].append(group) }
    group = []
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

  /// Merges a save of another context; own changes stay, property by property.
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
