// What becomes of unsaved changes when the store turns out to hold another version of an object.

extension ManagedObjectContext {
  /// Puts the changes of objects onto other versions of their rows. What their relationships lead to in the end knows
  /// of it, and what they do not lead to any more does not.
  ///
  /// - Parameter keeps: Whether the value here stays; see ``MergePolicy/keeps(_:_:_:)``.
  func rebase(
    _ versions: [(object: ManagedObject, row: Row)],
    keeping keeps: (_ old: Value, _ stored: Value, _ new: Value) -> Bool
  ) throws {
    recentlyRefreshed += versions.map(\.object)
    // The rules of a version that was deleted here are carried out already.
    for (object, row) in versions where object.isDeleted && row.version != object.row?.version {
      deleteAgain(object, row)
    }
    let living = versions.filter { !$0.object.isDeleted }
    var pointers: [Pointer] = []
    for (object, row) in living {
      for relationship in object.entity.toOnes {
        pointers.append(try Pointer(object, relationship, row, keeping: keeps))
      }
    }
    // All let go of what they took hold of, before any of them shows what the store holds.
    for pointer in pointers where pointer.isChanged { try pointer.object.point(pointer.relationship, to: nil, self) }
    for (object, row) in living { try replaceRow(of: object, row, keeping: keeps) }
    for pointer in pointers where pointer.isChanged { forgetMove(pointer) }
    for pointer in pointers where pointer.isKept { try keep(pointer) }
    for pointer in pointers where pointer.isChanged && !pointer.isKept { try giveUp(pointer) }
    for pointer in pointers { try giveIn(pointer.object, pointer.relationship) }
  }

  /// A to-one relationship of an object that is put onto another version.
  private struct Pointer {
    let object: ManagedObject
    let relationship: Relationship
    /// Where it leads here.
    let own: ManagedObjectID?
    /// Where it led when it was read.
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
  private func replaceRow(
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
  private func forgetMove(_ pointer: Pointer) {
    guard let began = pointer.began.flatMap(known), let inverse = model.inverse(of: pointer.relationship),
      began.objectID != pointer.object.storedDestination(of: pointer.relationship),
      case .many = began.state(inverse)
    else { return }
    began.updateToMany(inverse) { $0.settle(pointer.object.objectID) }
  }

  /// Lets a relationship lead where it led here.
  private func keep(_ pointer: Pointer) throws {
    let stored = pointer.object.storedDestination(of: pointer.relationship)
    guard pointer.own != stored else { return try pointer.isChanged ? giveUp(pointer) : () }
    let target = try pointer.own.flatMap { try exists($0) ? $0 : nil }
    if let inverse = model.inverse(of: pointer.relationship), !inverse.isToMany {
      // Both ends have a column of their own, which somebody else may have changed.
      for id in [stored, target] { try id.map { try bringUpToDate(self.object(with: $0)) } }
    }
    if target == nil, let stored, object(with: stored).isDeleted {
      // The deletion has made it let go. What is deleted shows what it held, in case it comes back.
      return try pointer.object.setDestination(pointer.relationship, nil, self)
    }
    try pointer.object.point(pointer.relationship, to: target.map { self.object(with: $0) }, self)
  }

  /// Lets a relationship lead where the row says, and what is there lead back again, which may have let go of the object.
  private func giveUp(_ pointer: Pointer) throws {
    let (object, relationship) = (pointer.object, pointer.relationship)
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
  func giveIn(_ object: ManagedObject, _ relationship: Relationship) throws {
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
