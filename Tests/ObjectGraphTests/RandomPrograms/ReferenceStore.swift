import ObjectGraph

/// The rules of saving, conflicts, unique values, undo and merging in plain values, without caches. It shares no code with
/// the engine, only the names of the policies.
///
/// Objects are numbers, given out by the program; their values are small numbers or absent.
struct ReferenceStore {
  typealias Values = [Int?]

  struct Row: Equatable {
    var version: Int
    var values: Values
  }

  /// The indices of the values that must be unique together.
  let constraints: [[Int]]
  /// The stored rows.
  private(set) var rows: [Int: Row] = [:]
  /// The order of the first saves, which is the order of keys.
  private(set) var keys: [Int: Int] = [:]

  init(constraints: [[Int]]) { self.constraints = constraints }

  /// The result of a save.
  enum Outcome: Equatable {
    case saved(Saved)
    case nothing
    case versions(count: Int)
    case constraints
  }

  struct Saved: Equatable {
    var inserted: Set<Int> = []
    var updated: Set<Int> = []
    var deleted: Set<Int> = []
  }

  /// Saves a context, which is left as it is if that fails.
  mutating func save(_ context: inout ReferenceContext, _ policy: MergePolicy) -> Outcome {
    var attempt = context
    var hadConflicts = false
    while true {
      let old = outdated(attempt)
      if !old.isEmpty {
        if policy == .error { return .versions(count: old.count) }
        for id in old { settleVersion(of: id, &attempt, policy) }
        hadConflicts = true
        continue
      }
      let shared = duplicates(attempt)
      if shared.isEmpty { break }
      if policy == .error { return .constraints }
      // No object is settled twice in one round.
      var met: Set<Int> = []
      for conflict in shared {
        let isNew = met.isDisjoint(with: conflict.members)
        met.formUnion(conflict.members)
        if isNew, !settle(conflict, &attempt, policy) { return .constraints }
      }
      hadConflicts = true
    }
    let saved = write(&attempt)
    context = attempt
    return saved == Saved() && !hadConflicts ? .nothing : .saved(saved)
  }

  // MARK: - Versions

  /// The objects that another context has saved or deleted since they were read, unless both have deleted them.
  private func outdated(_ context: ReferenceContext) -> [Int] {
    context.objects.keys.sorted().filter { id in
      guard let object = context.objects[id], let base = object.base else { return false }
      if object.isDeleted { return rows[id].map { $0.version != base.version } ?? false }
      return object.isChanged && rows[id]?.version != base.version
    }
  }

  private func settleVersion(of id: Int, _ context: inout ReferenceContext, _ policy: MergePolicy) {
    guard var object = context.objects[id] else { return }
    guard let row = rows[id] else {
      // It is gone: inserted again, or given up.
      object.base = nil
      context.objects[id] = policy.isOurs ? object : nil
      return
    }
    let base = object.base?.values ?? Array(repeating: nil, count: row.values.count)
    object.base = row
    if object.isDeleted, !policy.isOurs {
      // A deletion is no property: it is kept or given up.
      (object.isDeleted, object.values) = (false, row.values)
    } else {
      object.values = row.values.indices.map { index in
        let (old, own, stored) = (base[index], object.values[index], row.values[index])
        let keepsOwn =
          switch policy {
          case .overwrite: true
          case .rollback: false
          case .mergeByPropertyStoreTrump: own != old && stored == old
          case .error, .mergeByPropertyObjectTrump: own != old
          }
        return keepsOwn ? own : stored
      }
    }
    context.objects[id] = object
  }

  // MARK: - Unique values

  private struct Conflict {
    var constraint: [Int]
    var objects: [Int]
    var stored: Int?
    var members: [Int] { objects + (stored.map { [$0] } ?? []) }
  }

  /// The objects that would share values after the save, by constraint, in the order of the first object.
  private func duplicates(_ context: ReferenceContext) -> [Conflict] {
    constraints.flatMap { indices -> [Conflict] in
      func key(_ values: Values) -> [Int]? {
        let key = indices.compactMap { values[$0] }
        return key.count == indices.count ? key : nil
      }
      let moved = context.toWrite.filter { id in
        guard let object = context.objects[id] else { return false }
        return object.base.map { base in indices.contains { base.values[$0] != object.values[$0] } } ?? true
      }
      let ordered = moved.sorted { order($0, context) < order($1, context) }
      var conflicts: [Conflict] = []
      for id in ordered {
        guard let own = context.objects[id].flatMap({ key($0.values) }) else { continue }
        let same = ordered.filter { context.objects[$0].flatMap { key($0.values) } == own }
        guard same.first == id else { continue }
        if same.count > 1 { conflicts.append(Conflict(constraint: indices, objects: same, stored: nil)) }
        let stays = rows.keys.filter { !moved.contains($0) && context.objects[$0]?.isDeleted != true }
        if let stored = stays.first(where: { rows[$0].flatMap { key($0.values) } == own }) {
          conflicts.append(Conflict(constraint: indices, objects: [id], stored: stored))
        }
      }
      return conflicts
    }
  }

  /// Changed objects by their keys, then new ones as they were made.
  private func order(_ id: Int, _ context: ReferenceContext) -> (Int, Int) { keys[id].map { (0, $0) } ?? (1, id) }

  /// - Returns: False if no policy says what to do.
  private func settle(_ conflict: Conflict, _ context: inout ReferenceContext, _ policy: MergePolicy) -> Bool {
    let changed = conflict.objects.filter { keys[$0] != nil }
    guard let first = conflict.objects.first else { return true }
    guard let stored = conflict.stored, let row = rows[stored] else {
      if changed.count > 1 {
        if policy.isOurs { return false }
        return changed.allSatisfy { giveUp($0, conflict, &context, policy) }
      }
      for id in conflict.objects.dropFirst() {
        guard let given = context.objects.removeValue(forKey: id) else { continue }
        if policy.isOurs { context.objects[first]?.values = given.values }
      }
      return true
    }
    // The object of the store is shown as it is there now.
    if let other = context.objects[stored] {
      if !other.isChanged { context.objects[stored] = ReferenceContext.Object(base: row, values: row.values) }
    } else if policy.isOurs {
      context.objects[stored] = ReferenceContext.Object(base: row, values: row.values)
    }
    if changed.isEmpty {
      let given = context.objects.removeValue(forKey: first)
      if policy.isOurs, let given { context.objects[stored]?.values = given.values }
      return true
    }
    guard policy.isOurs else { return giveUp(first, conflict, &context, policy) }
    guard context.objects[stored]?.isChanged == false else { return false }
    context.objects[stored]?.isDeleted = true
    return true
  }

  private func giveUp(
    _ id: Int, _ conflict: Conflict, _ context: inout ReferenceContext, _ policy: MergePolicy
  ) -> Bool {
    guard let base = context.objects[id]?.base else { return false }
    let indices = policy == .rollback ? Array(base.values.indices) : conflict.constraint
    for index in indices { context.objects[id]?.values[index] = base.values[index] }
    return true
  }

  // MARK: - Writing

  private mutating func write(_ context: inout ReferenceContext) -> Saved {
    var saved = Saved()
    for id in context.objects.keys.sorted() {
      guard var object = context.objects[id] else { continue }
      if object.isDeleted {
        // One that was new is just gone.
        if object.base != nil { saved.deleted.insert(id) }
        rows[id] = nil
        context.objects[id] = nil
        continue
      }
      guard object.isChanged else { continue }
      if object.base == nil { saved.inserted.insert(id) } else { saved.updated.insert(id) }
      let row = Row(version: (object.base?.version ?? 0) + 1, values: object.values)
      rows[id] = row
      object.base = row
      context.objects[id] = object
    }
    for id in saved.inserted.sorted() where keys[id] == nil { keys[id] = keys.count + 1 }
    context.forgetUndo()
    return saved
  }
}
