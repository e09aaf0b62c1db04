import ObjectGraph
import Synchronization
import Testing
import TestSupport

/// A random program whose steps are compared with a reference.
protocol CheckedProgram {
  var stack: Stack { get }
  /// The rules and the steps so far, for the message of a failure.
  var steps: [String] { get }
  var counts: [String: Int] { get }
  init(seed: UInt64) throws
  mutating func step() throws
}

extension CheckedProgram {
  func require(_ isSo: Bool, _ what: @autoclosure () -> String) throws {
    guard !isSo else { return }
    Issue.record("\(what())\n\(stack.type)\n\(steps.joined(separator: "\n"))")
    throw CancellationError()
  }
}

/// An object of a random program. It counts the instances in memory.
final class Counted: ManagedObject {
  static let living = Atomic(0)

  required init(_ origin: Origin) {
    Self.living.add(1, ordering: .relaxed)
    super.init(origin)
  }

  deinit { Self.living.subtract(1, ordering: .relaxed) }
}

/// One random program: a random model, edits, undo, saves under random policies and merges in two contexts over one
/// store, each step compared with the reference.
struct RandomProgram: CheckedProgram {
  /// A context, its reference, and its objects by their numbers.
  private struct Side {
    let context: ManagedObjectContext
    let log: SavedChanges
    var reference = ReferenceContext()
    var objects: [Int: ManagedObject] = [:]
  }

  let stack: Stack
  private let width: Int
  private var store: ReferenceStore
  private var sides: [Side]
  private var ids: [Int: ManagedObjectID] = [:]
  private var lastNumber = 0
  private var random: SplitMix64
  private(set) var steps: [String] = []
  private(set) var counts: [String: Int] = [:]

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    width = Int.random(in: 1...4, using: &random)
    let names = (0..<width).map { "a\($0)" }
    var constraints: [[Int]] = []
    if random.chance(80) { constraints.append([0]) }
    if width > 2, random.chance(50) { constraints.append([1, 2]) }
    if width > 1, random.chance(30) { constraints.append([width - 1]) }
    let model = try ManagedObjectModel([
      EntityDescription(
        "Thing", class: Counted.self, attributes: names.map { AttributeDescription($0, .integer64) },
        uniquenessConstraints: constraints.map { $0.map { names[$0] } })
    ])
    // Files cost more than they show: every fifth program has one.
    let type =
      random.chance(20)
      ? [StoreType.binary, .xml].randomElement(using: &random) : random.chance(50) ? .sqlite : .inMemory
    stack = try Stack(type ?? .sqlite, model: model, options: .unsynced)
    store = ReferenceStore(constraints: constraints)
    steps.append("constraints \(constraints)")
    sides = [stack.context, stack.otherContext()].map { Side(context: $0, log: SavedChanges($0)) }
    for side in sides { side.context.undoManager = UndoManager() }
  }

  mutating func step() throws {
    let index = Int.random(in: 0...1, using: &random)
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<55: try edit(index)
    case 55..<67: try undo(index)
    case 67..<93: try save(index)
    case 93..<97:
      steps.append("\(index): rollback")
      sides[index].context.rollback()
      sides[index].reference.rollback()
    default: try reset(index)
    }
    try compare(index)
  }

  // MARK: - Steps

  private mutating func value() -> Int? { random.chance(15) ? nil : Int.random(in: 0..<6, using: &random) }

  private mutating func edit(_ index: Int) throws {
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let number = sides[index].reference.living.randomElement(using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 3..<9 where number != nil:
        guard let number, let object = sides[index].objects[number] else { continue }
        let (attribute, value) = (Int.random(in: 0..<width, using: &random), value())
        steps.append("\(index): \(number).a\(attribute) = \(value.map(String.init) ?? "nil")")
        try object.setValue(value, forKey: "a\(attribute)")
        sides[index].reference.set(number, attribute, value)
      case 9 where number != nil:
        guard let number, let object = sides[index].objects[number] else { continue }
        steps.append("\(index): delete \(number)")
        try sides[index].context.delete(object)
        sides[index].reference.delete(number)
      default:
        lastNumber += 1
        let values = (0..<width).map { _ in value() }
        steps.append("\(index): insert \(lastNumber) \(values)")
        let object = try sides[index].context.insert("Thing")
        for (attribute, value) in values.enumerated() { try object.setValue(value, forKey: "a\(attribute)") }
        sides[index].objects[lastNumber] = object
        sides[index].reference.insert(lastNumber, values)
      }
    }
    try sides[index].context.processPendingChanges()
    sides[index].reference.endGroup()
  }

  private mutating func undo(_ index: Int) throws {
    let isUndo = random.chance(60)
    steps.append("\(index): \(isUndo ? "undo" : "redo")")
    counts[isUndo ? "undo" : "redo", default: 0] += 1
    if isUndo {
      try sides[index].context.undo()
      sides[index].reference.undo()
    } else {
      try sides[index].context.redo()
      sides[index].reference.redo()
    }
  }

  private mutating func reset(_ index: Int) throws {
    steps.append("\(index): reset")
    sides[index].context.reset()
    sides[index].reference.reset(store)
    sides[index].objects = [:]
    try hold(index)
  }

  private mutating func save(_ index: Int) throws {
    let policy = Everything.pick(MergePolicy.allCases, &random)
    steps.append("\(index): save by \(policy)")
    let expected = store.save(&sides[index].reference, policy)
    sides[index].context.mergePolicy = policy
    let posted = sides[index].log.all.count
    do {
      try sides[index].context.save()
      sides[index].context.undoManager?.removeAllActions()
    } catch ObjectGraphError.conflicts(let conflicts) {
      counts["refused versions", default: 0] += 1
      return try require(expected == .versions(count: conflicts.count), "\(conflicts) instead of \(expected)")
    } catch ObjectGraphError.constraints(let conflicts) {
      counts["refused values", default: 0] += 1
      return try require(expected == .constraints, "\(conflicts) instead of \(expected)")
    }
    for (number, object) in sides[index].objects where store.rows[number] != nil { ids[number] = object.objectID }
    guard case .saved(let saved) = expected else {
      return try require(expected == .nothing && sides[index].log.all.count == posted, "saved instead of \(expected)")
    }
    counts["saves", default: 0] += 1
    try hold(index)
    try require(sides[index].log.all.count == posted + 1, "one notification for one save")
    guard let changes = sides[index].log.all.last else { return }
    func numbers(_ found: [ManagedObjectID]) -> Set<Int> { Set(ids.filter { found.contains($0.value) }.keys) }
    let told = ReferenceStore.Saved(
      inserted: numbers(changes.inserted), updated: numbers(changes.updated), deleted: numbers(changes.deleted))
    try require(told == saved, "announced \(told), saved \(saved)")
    try compareStore()
    guard random.chance(60) else { return }
    let other = 1 - index
    steps.append("\(other): merge")
    counts["merges", default: 0] += 1
    // The undo of a saved deletion makes a new object, which the reference does not have.
    if saved.deleted.contains(where: { sides[other].reference.objects[$0]?.isDeleted == true }) {
      sides[other].context.undoManager?.removeAllActions()
      sides[other].reference.forgetUndo()
    }
    try sides[other].context.mergeChanges(fromContextDidSave: changes)
    sides[other].reference.merge(saved, store)
    try hold(other)
    try compare(other)
  }

  /// Holds the objects that the reference has and the program has not met; they are in the store.
  private mutating func hold(_ index: Int) throws {
    for number in sides[index].reference.objects.keys where sides[index].objects[number] == nil {
      guard let id = ids[number] else { continue }
      sides[index].objects[number] = sides[index].context.object(with: id)
    }
  }

  // MARK: - Comparing

  private func values(_ object: ManagedObject) throws -> ReferenceStore.Values {
    try object.entity.attributes.map {
      if case .integer(let value) = try object.value(of: $0) { Int(value) } else { nil }
    }
  }

  private mutating func compare(_ index: Int) throws {
    let (context, reference) = (sides[index].context, sides[index].reference)
    for (number, object) in sides[index].objects {
      guard let expected = reference.objects[number] else {
        try require(object.managedObjectContext == nil, "\(index): \(number) is still in its context")
        sides[index].objects[number] = nil
        continue
      }
      try require(object.managedObjectContext === context, "\(index): \(number) is in no context")
      try require(object.isDeleted == expected.isDeleted, "\(index): \(number) deleted: \(object.isDeleted)")
      try require(object.isInserted == (expected.base == nil), "\(index): \(number) inserted: \(object.isInserted)")
      guard !expected.isDeleted else { continue }
      let found = try values(object)
      try require(found == expected.values, "\(index): \(number) is \(found), not \(expected.values)")
      try require(
        object.hasPersistentChangedValues == expected.isChanged, "\(index): \(number) changed: \(!expected.isChanged)")
    }
    let isChanged = reference.objects.values.contains { $0.isChanged && !($0.isDeleted && $0.base == nil) }
    try require(context.hasChanges == isChanged, "\(index): has changes: \(!isChanged)")
    let missing = reference.objects.keys.filter { sides[index].objects[$0] == nil }
    try require(missing.isEmpty, "\(index): \(missing) are not there")
  }

  private func compareStore() throws {
    let context = try stack.forgetful()
    var found: [Int: ReferenceStore.Values] = [:]
    let numbers = Dictionary(uniqueKeysWithValues: ids.map { ($0.value.uriRepresentation, $0.key) })
    for object in try context.fetch(FetchRequest<ManagedObject>("Thing")) {
      guard let number = numbers[object.objectID.uriRepresentation] else {
        try require(false, "\(object.objectID) is unknown")
        continue
      }
      found[number] = try values(object)
    }
    let expected = store.rows.mapValues(\.values)
    try require(found == expected, "the store holds \(found), not \(expected)")
  }
}
