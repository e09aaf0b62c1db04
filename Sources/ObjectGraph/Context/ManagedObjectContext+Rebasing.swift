// Applies unsaved changes to newer snapshots of the store. This one algorithm settles the conflicts of a save, merges
// the save of another context, and keeps or discards changes in a refresh. The callers differ in their objects and
// snapshots, and in the rule that chooses the value of each property.

extension ManagedObjectContext {
  /// Puts the changes of objects onto other snapshots. What their relationships lead to in the end knows of it, and
  /// what they do not lead to any more does not.
  ///
  /// Attributes are merged one by one. To-many relationships are their additions and removals, which stay and are put
  /// on top of what the store holds when that is read again. Where the other end is a to-one relationship, that end
  /// says who belongs to whom, so the work is with the to-one relationships, each of which has up to three ends to
  /// keep in step: the object, what it led to, and what it is to lead to. Each pass is finished for all objects
  /// before the next one starts, because the objects of one call lead to each other:
  ///
  /// 1. **Deleted here**: they take the snapshot, and their delete rules are carried out on what it leads to.
  /// 2. **Look**: where each to-one relationship leads here, where it began, and whether that stays. Later passes
  ///    change what the answer comes from.
  /// 3. **Let go** of what was taken hold of here. Now no object shows a change that the merge may give up, and no
  ///    two objects have taken hold of the same one.
  /// 4. **Replace** the snapshots, merging attributes; relationships show what the store holds.
  /// 5. **Settle** departures: if the store's object has left where it began as well, that end has no removal to
  ///    save.
  /// 6. **Keep** what stays: the relationship leads where it led here, and both its former and its new other end hear
  ///    of it. Before the next pass, because a kept one may take away the place that another one is to have again.
  /// 7. **Take the store's** for what does not stay, and let the other end, which may have let go, lead back.
  /// 8. **Drop** what is lost: relationships to objects that are deleted here, or that lead to somebody else now.
  ///
  /// To give changes up altogether, ``discardChanges(of:)`` brings back what is deleted here and takes back the
  /// additions and removals of many-to-many relationships on both sides, and then merges under a rule that keeps
  /// nothing.
  ///
  /// - Parameter keeps: Whether the value here stays; see ``MergePolicy/keeps(_:_:_:)``.
  func mergeSnapshots(
    _ versions: [(object: ManagedObject, row: Row)],
    keeping keeps: (_ old: Value, _ stored: Value, _ new: Value) -> Bool
  ) throws {
    recentlyRefreshed += versions.map(\.object)
    // The snapshots that a save has found are new to all contexts.
    if case .unpinned = generation { for (object, row) in versions { rowCache.learn(object, row) } }
    // The rules of a version that was deleted here are carried out already.
    for (object, row) in versions where object.isDeleted && row.version != object.row?.version {
      // It keeps its changes, in case it is brought back; so it does where its rule has left alone what it leads to,
      // which leads back.
      let kept = try object.entity.toOnes.filter {
        try [.deny, .noAction].contains($0.deleteRule) && object.destination(of: $0) != object.storedDestination(of: $0)
      }.map { (relationship: $0, state: object.state($0)) }
      try replaceSnapshot(of: object, row, keeping: keeps)
      for (relationship, state) in kept { object.setRelation(relationship, state) }
      unpropagatedDeletes.append(object)
    }
    let living = versions.filter { !$0.object.isDeleted }
    let merges = try living.flatMap { object, row in
      try object.entity.toOnes.map { try ToOneMerge(object, $0, row, keeping: keeps) }
    }
    for merge in merges where merge.isChanged { try merge.object.point(merge.relationship, to: nil, self) }
    for (object, row) in living { try replaceSnapshot(of: object, row, keeping: keeps) }
    for merge in merges where merge.isChanged { settleDeparture(merge) }
    for merge in merges where merge.isKept { try keepDestination(merge) }
    for merge in merges where merge.isChanged && !merge.isKept { try takeStoredDestination(merge) }
    for merge in merges { try dropLostDestination(merge.object, merge.relationship) }
  }

  /// A to-one relationship of an object that gets another snapshot.
  private struct ToOneMerge {
    let object: ManagedObject
    let relationship: Relationship
    /// The destination in this context.
    let own: ManagedObjectID?
    /// The destination when it was read.
    let began: ManagedObjectID?
    /// Whether it goes on leading there.
    let isKept: Bool

    init(
      _ object: ManagedObject, _ relationship: Relationship, _ row: Row,
      keeping keeps: (_ old: Value, _ stored: Value, _ new: Value) -> Bool
    ) throws {
      (self.object, self.relationship) = (object, relationship)
      own = try object.destination(of: relationship)
      began = object.storedDestination(of: relationship)
      guard case .column(let place) = relationship.storage else {
        isKept = false
        return
      }
      let new = own.map { Value.integer($0.key) } ?? .null
      isKept = keeps(object.row?.values[place] ?? .null, row.values[place], new)
    }

    var isChanged: Bool { own != began }
  }

  /// Gives an object another row. Attributes keep their values or take the row's, relationships are as the row says.
  private func replaceSnapshot(
    of object: ManagedObject, _ row: Row, keeping keeps: (_ old: Value, _ stored: Value, _ new: Value) -> Bool
  ) throws {
    if !object.edits.isEmpty || object.row != nil {
      let count = object.entity.attributes.count
      let old = object.row.map { Array($0.values) } ?? Array(repeating: .null, count: count)
      let own = object.edits.isEmpty ? Array(old.prefix(count)) : object.edits
      let merged = own.enumerated().map { keeps(old[$0], row.values[$0], $1) ? $1 : row.values[$0] }
      object.edits = zip(merged, row.values).allSatisfy { $0.isSame(as: $1) } ? [] : merged
    }
    object.row = row
    unloadRelations(of: object)
  }

  /// Lets what a relationship led to when it was read forget that the object has left it, if that is in the store now.
  private func settleDeparture(_ merge: ToOneMerge) {
    guard let began = merge.began.flatMap(known), let inverse = model.inverse(of: merge.relationship),
      began.objectID != merge.object.storedDestination(of: merge.relationship),
      case .many = began.state(inverse)
    else { return }
    began.updateToMany(inverse) { $0.settle(merge.object.objectID) }
  }

  /// Lets a relationship lead where it led here.
  private func keepDestination(_ merge: ToOneMerge) throws {
    let stored = merge.object.storedDestination(of: merge.relationship)
    guard merge.own != stored else { return try merge.isChanged ? takeStoredDestination(merge) : () }
    let target = try merge.own.flatMap { try exists($0) ? $0 : nil }
    if let inverse = model.inverse(of: merge.relationship), !inverse.isToMany {
      // Both ends have a column of their own, which somebody else may have changed.
      for id in [stored, target] { try id.map { try bringUpToDate(self.object(with: $0)) } }
    }
    if target == nil, let stored, object(with: stored).isDeleted {
      // The deletion has made it let go. What is deleted shows what it held, in case it comes back.
      return try merge.object.setDestination(merge.relationship, nil, self)
    }
    try merge.object.point(merge.relationship, to: target.map { self.object(with: $0) }, self)
  }

  /// Lets a relationship lead where the row says, and what is there lead back again, which may have let go of the
  /// object.
  private func takeStoredDestination(_ merge: ToOneMerge) throws {
    let (object, relationship) = (merge.object, merge.relationship)
    let stored = object.storedDestination(of: relationship).map { self.object(with: $0) }
    let target = stored.flatMap { $0.isDeleted ? nil : $0 }
    // Another one's change may have led it elsewhere.
    try object.point(relationship, to: target, self)
    guard let target, let inverse = model.inverse(of: relationship) else { return }
    if inverse.isToMany {
      guard case .many = target.state(inverse) else { return }
      target.updateToMany(inverse) { $0.restore(object.objectID) }
      recentlyRefreshed.append(target)
    } else {
      try bringUpToDate(target)
      guard try target.destination(of: inverse) != object.objectID else { return }
      try target.link(inverse, object, relationship, self)
    }
  }

  /// Lets a to-one relationship let go of what is deleted here, and of what has taken hold of another object.
  func dropLostDestination(_ object: ManagedObject, _ relationship: Relationship) throws {
    guard let id = try object.destination(of: relationship), let inverse = model.inverse(of: relationship) else {
      return
    }
    let destination = self.object(with: id)
    // Faults are as the store says.
    if destination.isFault { return }
    let isHeld =
      try !destination.isDeleted && (inverse.isToMany || destination.leads(inverse, to: object.objectID, self))
    if !isHeld { try object.setDestination(relationship, nil, self) }
  }
}
