// Applies unsaved changes to newer rows of the store, to resolve conflicts, merge saves of other contexts and refresh
// objects.

extension ManagedObjectContext {
  /// Replaces the rows of objects by newer rows from the store. `policy` decides, for each property, whether the
  /// context's value is kept.
  func mergeSnapshots(_ versions: [(object: ManagedObject, row: Row)], by policy: MergePolicy) throws {
    // Each step is finished for all objects before the next one starts, because the objects may refer to each other.
    recent.refreshed += versions.map(\.object)
    // Newer rows that a save has found are shared with other contexts through the row cache.
    if generation == nil { for (object, row) in versions { rowCache.learn(object, row) } }
    // Deleted objects take newer rows, whose relationships need the delete rules. For an unchanged version, the rules
    // were already applied.
    for (object, row) in versions where object.isDeleted && row.version != object.row?.version {
      // Changed relationships with the rule `deny` or `noAction` are kept, because their destinations still lead back
      // to the object.
      let kept = try object.entity.toOnes.filter {
        try [.deny, .noAction].contains($0.deleteRule) && object.destination(of: $0) != object.storedDestination(of: $0)
      }.map { (relationship: $0, state: object.state($0)) }
      try replaceSnapshot(of: object, row, by: policy)
      for (relationship, state) in kept { object.setRelation(relationship, state) }
      unpropagatedDeletes.append(object)
    }
    let living = versions.filter { !$0.object.isDeleted }
    // The state of each to-one relationship is recorded before later steps change the relationship.
    let merges = try living.flatMap { object, row in
      try object.entity.toOnes.map { try ToOneMerge(object, $0, row, by: policy) }
    }
    // Changed destinations are unlinked, so that no two objects have the same destination.
    for merge in merges where merge.isChanged { try merge.object.point(merge.relationship, to: nil, self) }
    // The rows are replaced and the attributes merged. Relationships then have the stored destinations.
    for (object, row) in living { try replaceSnapshot(of: object, row, by: policy) }
    // The unsaved removal of a link is dropped if the store has already removed the link.
    for merge in merges where merge.isChanged { settleDeparture(merge) }
    // Kept changes are made again, before the next step can give their destinations to other objects.
    for merge in merges where merge.isKept { try keepDestination(merge) }
    // Changed relationships that are not kept take the stored destination.
    for merge in merges where merge.isChanged && !merge.isKept { try takeStoredDestination(merge) }
    // Relationships are emptied if the destination is deleted in this context or belongs to another object.
    for merge in merges { try dropLostDestination(merge.object, merge.relationship) }
  }

  /// The data for merging a to-one relationship of an object after another writer has changed the row of the object.
  private struct ToOneMerge {
    let object: ManagedObject
    let relationship: Relationship
    let own: ManagedObjectID?
    /// The ID of the related object before the unsaved change of the relationship. Nil if there was no related object.
    let began: ManagedObjectID?
    let isKept: Bool

    init(_ object: ManagedObject, _ relationship: Relationship, _ row: Row, by policy: MergePolicy) throws {
      (self.object, self.relationship) = (object, relationship)
      own = try object.destination(of: relationship)
      began = object.storedDestination(of: relationship)
      isKept =
        if case .column(let index) = relationship.storage {
          policy.keeps(object.row?[index] ?? .null, row[index], own.map { .integer($0.key) } ?? .null)
        } else { false }
    }

    var isChanged: Bool { own != began }
  }

  private func replaceSnapshot(of object: ManagedObject, _ row: Row, by policy: MergePolicy) throws {
    if let own = object.attributeValues {
      let old = object.row.map { Array($0) } ?? Array(repeating: .null, count: own.count)
      let merged = own.enumerated().map { policy.keeps(old[$0], row[$0], $1) ? $1 : row[$0] }
      object.edits = zip(merged, row).allSatisfy { $0.isSame(as: $1) } ? [] : merged
    }
    object.row = row
    unloadRelations(of: object)
  }

  /// Drops the unsaved removal of a link if another writer has removed the same link.
  private func settleDeparture(_ merge: ToOneMerge) {
    guard let began = merge.began.flatMap(known), let inverse = model.inverse(of: merge.relationship),
      began.objectID != merge.object.storedDestination(of: merge.relationship),
      case .many = began.state(inverse)
    else { return }
    began.updateToMany(inverse) { $0.settle(merge.object.objectID) }
  }

  private func keepDestination(_ merge: ToOneMerge) throws {
    let stored = merge.object.storedDestination(of: merge.relationship)
    guard merge.own != stored else { return try merge.isChanged ? takeStoredDestination(merge) : () }
    let target = try merge.own.flatMap { try exists($0) ? $0 : nil }
    if let inverse = model.inverse(of: merge.relationship), !inverse.isToMany {
      // In a one-to-one relationship, both rows store the link, and another writer may have changed the other row.
      for id in [stored, target] { try id.map { try bringUpToDate(self.object(with: $0)) } }
    }
    if target == nil, let stored, object(with: stored).isDeleted {
      // The deletion of the destination has removed the link. The destination keeps its side, in case the deletion is
      // cancelled.
      return try merge.object.setDestination(merge.relationship, nil, self)
    }
    try merge.object.point(merge.relationship, to: target.map { self.object(with: $0) }, self)
  }

  private func takeStoredDestination(_ merge: ToOneMerge) throws {
    let (object, relationship) = (merge.object, merge.relationship)
    let stored = object.storedDestination(of: relationship).map { self.object(with: $0) }
    let target = stored.flatMap { $0.isDeleted ? nil : $0 }
    try object.point(relationship, to: target, self)
    guard let target, let inverse = model.inverse(of: relationship) else { return }
    if inverse.isToMany {
      guard case .many = target.state(inverse) else { return }
      target.updateToMany(inverse) { $0.restore(object.objectID) }
      recent.refreshed.append(target)
    } else {
      try bringUpToDate(target)
      guard try target.destination(of: inverse) != object.objectID else { return }
      try target.link(inverse, object, relationship, self)
    }
  }

  func dropLostDestination(_ object: ManagedObject, _ relationship: Relationship) throws {
    guard let id = try object.destination(of: relationship), let inverse = model.inverse(of: relationship) else {
      return
    }
    let destination = self.object(with: id)
    if destination.isFault { return }
    let isHeld =
      try !destination.isDeleted && (inverse.isToMany || destination.leads(inverse, to: object.objectID, self))
    if !isHeld { try object.setDestination(relationship, nil, self) }
  }
}
