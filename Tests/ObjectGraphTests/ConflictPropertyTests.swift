import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Semantics 7, 12 and 17 together: whatever two contexts do to the same objects, and whatever policy settles it, the
/// store stays a graph whose relationships are the same from both ends.
@Suite struct ConflictPropertyTests {
  @Test(
    "7, 12, 17: random edits in two contexts, with conflicts and merges, keep inverses symmetric",
    arguments: MergePolicy.allCases, 1...4)
  func randomConflicts(_ policy: MergePolicy, _ seed: UInt64) throws {
    for type in [StoreType.sqlite, .inMemory] {
      var run = try TwoContexts(type, policy, seed: seed)
      for _ in 1...400 { try run.step() }
      #expect(run.saves > 20 && run.merges > 5)
      // With the policy to fail some saves do; with the others hardly any.
      if policy == .error { #expect(run.failures > 0) } else { #expect(run.failures < run.saves) }
    }
  }
}

/// Two contexts that edit one tangle.
private struct TwoContexts {
  /// One of the two, and whether it has taken over everything that the other one has saved.
  private struct Side {
    let context: ManagedObjectContext
    var isCurrent = true
  }

  private let stack: Stack
  private var sides: [Side]
  private var random: SplitMix64
  private var lastNumber = 0
  private(set) var saves = 0
  private(set) var merges = 0
  private(set) var failures = 0

  init(_ type: StoreType, _ policy: MergePolicy, seed: UInt64) throws {
    stack = try Stack(type, model: try Tangle.model())
    sides = [Side(context: stack.context), Side(context: stack.otherContext())]
    random = SplitMix64(seed: seed)
    for side in sides { side.context.mergePolicy = policy }
    for _ in 1...24 { try insert(sides[0].context) }
    try sides[0].context.save()
  }

  mutating func step() throws {
    let place = Int.random(in: 0...1, using: &random)
    let context = sides[place].context
    do {
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<8: try insert(context)
      case 8..<78: try change(context)
      case 78..<84:
        if let object = try objects(Tangle.entities.randomElement(using: &random) ?? Tangle.nodes, context)
          .randomElement(using: &random)
        {
          try context.delete(object)
        }
      case 84..<96: try save(place)
      default:
        try context.refreshAllObjects()
        sides[place].isCurrent = true
      }
    } catch ObjectGraphError.inaccessible {
      // Somebody else has deleted it, and this context has not heard of that.
      #expect(!sides[place].isCurrent)
    }
  }

  private mutating func insert(_ context: ManagedObjectContext) throws {
    lastNumber += 1
    try context.insert(Tangle.entities[lastNumber % 4]).setValue(lastNumber, forKey: "number")
  }

  private func objects(_ entity: String, _ context: ManagedObjectContext) throws -> [ManagedObject] {
    try context.fetch(FetchRequest<ManagedObject>(entity, sortedBy: [SortKey("number")]))
  }

  private mutating func change(_ context: ManagedObjectContext) throws {
    guard let bond = Tangle.Bond.allCases.randomElement(using: &random),
      let source = try objects(bond.source, context).randomElement(using: &random),
      let destination = try objects(bond.destination, context).randomElement(using: &random)
    else { return }
    let (from, to) = (try source.entity.relationship(bond.name), try destination.entity.relationship(bond.inverse))
    switch Int.random(in: 0..<10, using: &random) {
    case 0: try source.setValue(nil, forKey: bond.name)
    case 1: try destination.setValue(nil, forKey: bond.inverse)
    case 2..<6:
      if from.isToMany { try source.add(destination, to: from) } else { try source.set(from, to: destination) }
    default: if to.isToMany { try destination.add(source, to: to) } else { try destination.set(to, to: source) }
    }
  }

  private mutating func save(_ place: Int) throws {
    let (context, other) = (sides[place].context, sides[1 - place].context)
    guard context.hasChanges else { return }
    let changes: SaveChanges?
    do {
      changes = try context.saveAnnouncedIfAny()
    } catch {
      // What cannot be saved is given up, and looked at anew.
      #expect(!sides[place].isCurrent, "\(error)")
      failures += 1
      context.rollback()
      try context.refreshAllObjects()
      sides[place].isCurrent = true
      return
    }
    saves += 1
    let stored = try snapshot(try stack.forgetful())
    try checkSymmetric(stored, "the store")
    #expect(!context.hasChanges)
    if Int.random(in: 0..<2, using: &random) == 0 {
      // What the context shows after a look is what the store holds.
      try context.refreshAllObjects()
      sides[place].isCurrent = true
      try #require(try snapshot(context) == stored)
    }
    if let changes, Int.random(in: 0..<2, using: &random) == 0 {
      try other.mergeChanges(fromContextDidSave: changes)
      merges += 1
    } else if changes != nil {
      sides[1 - place].isCurrent = false
    }
    // A context that knows of everything is consistent with its own changes, too.
    for (number, side) in sides.enumerated() where side.isCurrent {
      try checkSymmetric(try snapshot(side.context), number == place ? "the context that saved" : "the other context")
    }
  }

  // MARK: - Looking

  /// The numbers that each relationship of each object leads to; -1 for an object that is not there.
  private func snapshot(_ context: ManagedObjectContext) throws -> [Int64: [String: Set<Int64>]] {
    var graph: [Int64: [String: Set<Int64>]] = [:]
    for entity in Tangle.entities {
      for object in try objects(entity, context) {
        let number = try #require(try object.value(forKey: "number") as? Int64)
        try #require(graph[number] == nil)
        graph[number] = [:]
        for relationship in object.entity.relationships {
          let value = try object.value(forKey: relationship.name)
          let others = value as? Set<ManagedObject> ?? (value as? ManagedObject).map { [$0] } ?? []
          graph[number]?[relationship.name] = Set(try others.map { try $0.value(forKey: "number") as? Int64 ?? -1 })
        }
      }
    }
    return graph
  }

  private func checkSymmetric(_ graph: [Int64: [String: Set<Int64>]], _ place: String) throws {
    for bond in Tangle.Bond.allCases {
      for (name, inverse) in [(bond.name, bond.inverse), (bond.inverse, bond.name)] {
        for (number, relationships) in graph {
          for other in relationships[name] ?? [] {
            try #require(
              graph[other]?[inverse]?.contains(number) == true,
              "in \(place) \(number).\(name) leads to \(other), and \(inverse) not back")
          }
        }
      }
    }
  }
}
