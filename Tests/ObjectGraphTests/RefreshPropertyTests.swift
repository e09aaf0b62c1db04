import ObjectGraph
import Testing
import TestSupport

/// Semantic 11 as a property: refreshing objects of a changed graph that nobody else has changed is no change of it if
/// changes are kept, and leaves a graph whose relationships are the same from both ends if they are given up.
@Suite struct RefreshPropertyTests {
  @Test("11: random edits, deletions, undo and refreshes, of objects that are deleted, too", arguments: Stack.types)
  func random(_ type: StoreType) throws {
    for seed in 1...UInt64(type == .sqlite || type == .inMemory ? 40 : 8) {
      var session = try Session(type, seed: seed)
      for _ in 1...40 { try session.step() }
    }
  }

  private struct Session {
    private let stack: Stack
    private let context: ManagedObjectContext
    private let seed: UInt64
    private var random: SplitMix64
    private var lastNumber = 0
    /// All that was there in the beginning, so that it stays registered.
    private var held: [ManagedObject] = []

    private typealias Numbers = [Int64: [String: Set<Int64>]]

    init(_ type: StoreType, seed: UInt64) throws {
      stack = try Stack(type, model: try Tangle.model())
      context = stack.context
      self.seed = seed
      random = SplitMix64(seed: seed)
      for _ in 1...16 { try insert() }
      for _ in 1...20 { try change() }
      try context.save()
      for entity in Tangle.entities { held += try objects(entity, context) }
      if seed % 3 == 0 { context.undoManager = UndoManager() }
    }

    mutating func step() throws {
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<50: try change()
      case 50..<55: try insert()
      case 55..<60: if let object = anyObject(), !object.isDeleted { try context.delete(object) }
      case 60..<75:
        guard let object = anyObject() else { return }
        try unchanged("merged \(object.objectID)") { try context.refresh(object, mergeChanges: true) }
      case 75..<85:
        guard let object = anyObject() else { return }
        try context.refresh(object, mergeChanges: false)
        try checkSymmetric("discarded \(object.objectID)")
      case 85..<90: try unchanged("all") { try context.refreshAllObjects() }
      case 90..<94:
        try context.undo()
        try checkSymmetric("undone")
      default:
        try unchanged("saved") { try context.save() }
        try #require(try numbers(context) == numbers(try stack.forgetful()), "seed \(seed): stored")
      }
    }

    private mutating func insert() throws {
      lastNumber += 1
      try context.insert(Tangle.entities[lastNumber % 4]).setValue(lastNumber, forKey: "number")
    }

    private mutating func anyObject() -> ManagedObject? {
      context.registeredObjects.union(context.deletedObjects).filter { $0.managedObjectContext != nil }
        .sorted { "\($0.objectID.uriRepresentation.path)" < "\($1.objectID.uriRepresentation.path)" }
        .randomElement(using: &random)
    }

    private func objects(_ entity: String, _ context: ManagedObjectContext) throws -> [ManagedObject] {
      try context.fetch(FetchRequest<ManagedObject>(entity, sortedBy: [SortKey("number")]))
    }

    private mutating func change() throws {
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

    // MARK: - Looking

    private func unchanged(_ what: String, _ body: () throws -> Void) throws {
      let before = try numbers(context)
      try body()
      let after = try numbers(context)
      let differing = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted()
      try #require(differing.isEmpty, "seed \(seed), \(what): \(differing) differ")
    }

    /// The numbers that each relationship of each object leads to; -1 for an object that is not there.
    private func numbers(_ context: ManagedObjectContext) throws -> Numbers {
      var graph: Numbers = [:]
      for object in try Tangle.entities.flatMap({ try objects($0, context) }) {
        var lines: [String: Set<Int64>] = [:]
        for relationship in object.entity.relationships {
          let value = try object.value(forKey: relationship.name)
          let others = value as? Set<ManagedObject> ?? (value as? ManagedObject).map { [$0] } ?? []
          lines[relationship.name] = Set(try others.map { try $0.value(forKey: "number") as? Int64 ?? -1 })
        }
        graph[try #require(try object.value(forKey: "number") as? Int64)] = lines
      }
      return graph
    }

    private func checkSymmetric(_ what: String) throws {
      let graph = try numbers(context)
      for bond in Tangle.Bond.allCases {
        for (name, inverse) in [(bond.name, bond.inverse), (bond.inverse, bond.name)] {
          for (number, lines) in graph {
            for other in lines[name] ?? [] {
              let isBack = graph[other]?[inverse]?.contains(number) == true
              try #require(isBack, "seed \(seed), \(what): \(number).\(name) leads to \(other), \(inverse) not back")
            }
          }
        }
      }
    }
  }
}
