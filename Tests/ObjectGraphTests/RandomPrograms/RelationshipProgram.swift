import ObjectGraph
import Testing
import TestSupport

/// One random program over relationships: a random model with its delete rules, edits of both ends, deletions, undo,
/// saves, rollbacks and resets in two contexts over one store, each step compared with the reference.
///
/// The reference has no rule for a merge into a context with unsaved changes. There, relationships have to be the same
/// from both ends, and after the changes are saved or given up, both contexts and the store have to be the same.
struct RelationshipProgram: CheckedProgram {
  private struct Side {
    let context: ManagedObjectContext
    let log: SavedChanges
    var graph: ReferenceRelationships
    var undo: [ReferenceRelationships] = []
    var redo: [ReferenceRelationships] = []
    var objects: [Int: ManagedObject] = [:]
  }

  let stack: Stack
  private let model: RelationshipModel
  private var stored: ReferenceRelationships
  private var sides: [Side]
  private var lastNumber = 0
  private var random: SplitMix64
  private(set) var steps: [String]
  private(set) var counts: [String: Int] = [:]

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    model = RelationshipModel(&random)
    steps = model.bonds.map {
      """
      E\($0.source).\($0.name) to \($0.isToOne ? "one" : "many") E\($0.destination) \($0.rule), \
      \($0.inverse) to \($0.isInverseToOne ? "one" : "many") \($0.inverseRule)
      """
    }
    let type = random.chance(50) ? StoreType.sqlite : .inMemory
    stack = try Stack(type, model: try model.managedObjectModel(), options: .unsynced)
    stored = ReferenceRelationships(model)
    let graph = stored
    sides = [stack.context, stack.otherContext()].map { Side(context: $0, log: SavedChanges($0), graph: graph) }
    for side in sides { side.context.undoManager = UndoManager() }
  }

  mutating func step() throws {
    do {
      let index = Int.random(in: 0...1, using: &random)
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<60: try edit(index)
      case 60..<75: try undo(index)
      case 75..<91: try save(index)
      case 91..<96: rollback(index)
      default:
        steps.append("\(index): reset")
        sides[index].context.reset()
        forget(index)
      }
      try compare(index)
    } catch let error as ObjectGraphError {
      try require(false, "\(error)")
    }
  }

  // MARK: - Steps

  private mutating func edit(_ index: Int) throws {
    let before = sides[index].graph
    var deleted: [Int] = []
    var isChanged = false
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let living = sides[index].graph.living.filter { !deleted.contains($0) }
      let kind = Int.random(in: 0..<10, using: &random)
      if kind < 3 || living.count < 3 {
        lastNumber += 1
        let entity = Int.random(in: 0..<model.entityCount, using: &random)
        steps.append("\(index): insert \(lastNumber) E\(entity)")
        let object = try sides[index].context.insert("E\(entity)")
        try object.setValue(lastNumber, forKey: "number")
        sides[index].objects[lastNumber] = object
        sides[index].graph.insert(lastNumber, entity)
        isChanged = true
      } else if kind == 3, let number = living.randomElement(using: &random) {
        let value = Int.random(in: 0..<9, using: &random)
        steps.append("\(index): \(number).value = \(value)")
        try sides[index].objects[number]?.setValue(value, forKey: "value")
        sides[index].graph.set(number, value)
        isChanged = true
      } else if kind == 4, let number = living.randomElement(using: &random) {
        steps.append("\(index): delete \(number)")
        try sides[index].objects[number].map(sides[index].context.delete)
        // The rules come with the end of the edit; what is deleted is not edited any more.
        deleted.append(number)
        isChanged = true
      } else {
        isChanged = try relate(index, deleted) || isChanged
      }
    }
    try sides[index].context.processPendingChanges()
    sides[index].graph.delete(deleted, model)
    guard isChanged else { return }
    sides[index].undo.append(before)
    sides[index].redo = []
  }

  /// Links two objects, or parts them, from either end.
  private mutating func relate(_ index: Int, _ deleted: [Int]) throws -> Bool {
    let graph = sides[index].graph
    guard let bond = model.bonds.randomElement(using: &random),
      let source = graph.living(bond.source).filter({ !deleted.contains($0) }).randomElement(using: &random),
      let destination = graph.living(bond.destination).filter({ !deleted.contains($0) }).randomElement(using: &random),
      let own = sides[index].objects[source], let other = sides[index].objects[destination]
    else { return false }
    let isForward = random.chance(50)
    let (object, value, name, isToOne) =
      isForward ? (own, other, bond.name, bond.isToOne) : (other, own, bond.inverse, bond.isInverseToOne)
    if !isToOne, deleted.isEmpty, random.chance(10) { return try replace(index, bond, inverse: !isForward) }
    let relationship = try object.entity.relationship(name)
    let isLinked = graph.pairs[bond.number].contains { $0.source == source && $0.destination == destination }
    if isLinked || random.chance(15) {
      guard isLinked else { return false }
      steps.append("\(index): part \(source).\(bond.name) \(destination), \(isForward ? "" : "from the other end")")
      if isToOne { try object.setValue(nil, forKey: name) } else { try object.remove(value, from: relationship) }
      sides[index].graph.unlink(source, destination, bond)
    } else {
      steps.append("\(index): link \(source).\(bond.name) \(destination) \(isForward ? "" : "from the other end")")
      if isToOne { try object.set(relationship, to: value) } else { try object.add(value, to: relationship) }
      sides[index].graph.link(source, destination, bond)
    }
    return true
  }

  /// Sets a whole to-many relationship of an object.
  private mutating func replace(_ index: Int, _ bond: RelationshipModel.Bond, inverse: Bool) throws -> Bool {
    let graph = sides[index].graph
    let (own, others) = inverse ? (bond.destination, bond.source) : (bond.source, bond.destination)
    guard let number = graph.living(own).randomElement(using: &random) else { return false }
    let chosen = Set(graph.living(others).filter { _ in random.chance(30) })
    let former = graph.destinations(number, bond, inverse: inverse)
    guard chosen != former else { return false }
    let name = inverse ? bond.inverse : bond.name
    steps.append("\(index): \(number).\(name) = \(chosen.sorted())")
    try sides[index].objects[number]?.setValue(Set(chosen.compactMap { sides[index].objects[$0] }), forKey: name)
    for other in former.subtracting(chosen) {
      sides[index].graph.unlink(inverse ? other : number, inverse ? number : other, bond)
    }
    for other in chosen { sides[index].graph.link(inverse ? other : number, inverse ? number : other, bond) }
    return true
  }

  private mutating func undo(_ index: Int) throws {
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let isUndo = random.chance(60)
      steps.append("\(index): \(isUndo ? "undo" : "redo")")
      let present = sides[index].graph
      if isUndo { try sides[index].context.undo() } else { try sides[index].context.redo() }
      if let former = isUndo ? sides[index].undo.popLast() : sides[index].redo.popLast() {
        if isUndo { sides[index].redo.append(present) } else { sides[index].undo.append(present) }
        sides[index].graph = former.taking(savedFrom: present)
        counts[isUndo ? "undo" : "redo", default: 0] += 1
      }
      try compare(index)
    }
  }

  private mutating func rollback(_ index: Int) {
    steps.append("\(index): rollback")
    sides[index].context.rollback()
    forget(index)
  }

  /// The context has no changes any more.
  private mutating func forget(_ index: Int) {
    sides[index].graph = stored
    forgetUndo(index)
  }

  private mutating func forgetUndo(_ index: Int) {
    (sides[index].undo, sides[index].redo) = ([], [])
    sides[index].context.undoManager?.removeAllActions()
  }

  private mutating func save(_ index: Int) throws {
    steps.append("\(index): save")
    let posted = sides[index].log.all.count
    do {
      try sides[index].context.save()
    } catch ObjectGraphError.validation {
      counts["denied", default: 0] += 1
      return try require(sides[index].graph.isDenied(model), "denied without a reason")
    }
    try require(!sides[index].graph.isDenied(model), "saved, although a rule denies it")
    sides[index].graph = sides[index].graph.saved()
    // A denied deletion that is saved later cannot be undone step by step.
    if model.denies { forgetUndo(index) }
    stored = sides[index].graph
    counts["saves", default: 0] += 1
    try compare(index)
    try compare(try stack.forgetful(), stored, "the store")
    let changes = sides[index].log.all.dropFirst(posted)
    try require(changes.count <= 1, "one notification for one save")
    try tell(1 - index, changes.first)
  }

  // MARK: - The other context

  /// Merges a save of the other context into a context.
  private mutating func tell(_ index: Int, _ changes: SaveChanges?) throws {
    guard let changes else { return }
    let context = sides[index].context
    forgetUndo(index)
    guard context.hasChanges else {
      try takeOver(index, changes)
      return try compare(index)
    }
    counts["merges with changes", default: 0] += 1
    let way = Int.random(in: 0..<4, using: &random)
    let isCurrent = way == 1 || way == 2
    if way == 1 {
      steps.append("\(index): merge onto changes")
      try context.mergeChanges(fromContextDidSave: changes)
    } else if way == 2 {
      steps.append("\(index): refresh each onto changes")
      try refreshEach(index, keepingChanges: true)
    }
    if isCurrent { try checkSymmetric(context, "\(index)") }
    guard way > 0, random.chance(70) else {
      rollback(index)
      if !isCurrent { try takeOver(index, changes) }
      return try compare(index)
    }
    let policies = [MergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite, .rollback]
    context.mergePolicy = policies.randomElement(using: &random) ?? .rollback
    steps.append("\(index): save by \(context.mergePolicy)\(isCurrent ? "" : " without a merge")")
    let posted = sides[index].log.all.count
    do {
      try context.save()
      counts["saves of merged changes", default: 0] += 1
    } catch ObjectGraphError.validation where model.denies, ObjectGraphError.inaccessible where !isCurrent {
      counts["refused", default: 0] += 1
    }
    context.rollback()
    // Only the store has the result.
    let forgetful = try stack.forgetful()
    try checkSymmetric(forgetful, "the store")
    stored = try read(forgetful)
    forget(index)
    if !isCurrent { try context.refreshAllObjects() }
    try compare(index)
    for changes in sides[index].log.all.dropFirst(posted) { try takeOver(1 - index, changes) }
    try compare(1 - index)
  }

  /// Takes over a save of the other context, by a merge or a refresh, in a context without changes.
  private mutating func takeOver(_ index: Int, _ changes: SaveChanges) throws {
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      steps.append("\(index): refresh each")
      try refreshEach(index, keepingChanges: random.chance(50))
    case 1:
      steps.append("\(index): refresh all")
      try sides[index].context.refreshAllObjects()
    default:
      steps.append("\(index): merge")
      try sides[index].context.mergeChanges(fromContextDidSave: changes)
    }
    forget(index)
  }

  /// Refreshes one object after the other, in any order.
  private mutating func refreshEach(_ index: Int, keepingChanges: Bool) throws {
    let context = sides[index].context
    let objects = context.registeredObjects.union(context.deletedObjects).filter { !$0.objectID.isTemporary }
    let ordered = objects.sorted { "\($0.objectID)" < "\($1.objectID)" }.shuffled(using: &random)
    for object in ordered {
      do {
        try context.refresh(object, mergeChanges: keepingChanges)
      } catch ObjectGraphError.inaccessible {
        try context.refresh(object, mergeChanges: false)
      }
    }
  }

  // MARK: - Comparing

  private mutating func compare(_ index: Int) throws {
    sides[index].objects = try compare(sides[index].context, sides[index].graph, "\(index)")
    // A change that was taken back is none to the engine, and the reference would have to look for it.
    if sides[index].graph == stored {
      try require(!sides[index].context.insertedObjects.contains { !$0.isDeleted }, "\(index): has new objects")
    }
  }

  private func objects(_ context: ManagedObjectContext) throws -> [Int: ManagedObject] {
    var objects: [Int: ManagedObject] = [:]
    for entity in 0..<model.entityCount {
      for object in try context.fetch(FetchRequest<ManagedObject>("E\(entity)")) {
        let number = try number(object)
        try require(objects.updateValue(object, forKey: number) == nil, "\(number) is there twice")
      }
    }
    return objects
  }

  private func number(_ object: ManagedObject) throws -> Int {
    if case .integer(let number) = try object.value(of: object.entity.attributes[0]) { return Int(number) }
    return -1
  }

  private func destinations(_ object: ManagedObject, _ name: String) throws -> Set<Int> {
    Set(try object.destinations(object.entity.relationship(name)).map(number))
  }

  @discardableResult
  private func compare(
    _ context: ManagedObjectContext, _ graph: ReferenceRelationships, _ what: String
  ) throws -> [Int: ManagedObject] {
    let objects = try objects(context)
    try require(Set(objects.keys) == Set(graph.living), "\(what): holds \(objects.keys.sorted()), not \(graph.living)")
    for (number, object) in objects {
      guard let expected = graph.objects[number] else { continue }
      let value = try object.value(of: object.entity.attributes[1])
      let wanted = expected.value.map { Value.integer(Int64($0)) } ?? .null
      try require(value == wanted, "\(what): \(number).value is \(value), not \(wanted)")
      for bond in model.bonds {
        for inverse in [false, true] where expected.entity == (inverse ? bond.destination : bond.source) {
          let name = inverse ? bond.inverse : bond.name
          let found = try destinations(object, name)
          let wanted = graph.destinations(number, bond, inverse: inverse)
          try require(found == wanted, "\(what): \(number).\(name) leads to \(found.sorted()), not \(wanted.sorted())")
        }
      }
    }
    return objects
  }

  private func checkSymmetric(_ context: ManagedObjectContext, _ what: String) throws {
    let graph = try Graph(context) { "\(try number($0))" }
    for bond in model.bonds {
      let asymmetry = graph.asymmetry(of: bond.name, bond.inverse, allowsDangling: model.denies)
      try require(asymmetry == nil, "\(what): \(asymmetry ?? "")")
    }
  }

  /// The graph in a store, read by a context without changes.
  private func read(_ context: ManagedObjectContext) throws -> ReferenceRelationships {
    var graph = ReferenceRelationships(model)
    let objects = try objects(context)
    for (number, object) in objects {
      graph.insert(number, object.entity.number - 1)
      if case .integer(let value) = try object.value(of: object.entity.attributes[1]) { graph.set(number, Int(value)) }
    }
    for bond in model.bonds {
      for (number, object) in objects where object.entity.number - 1 == bond.source {
        for other in try destinations(object, bond.name) { graph.link(number, other, bond) }
      }
    }
    return graph.saved()
  }
}
