import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Semantic 12: what one side of a relationship says, the other one says at once.
@Suite struct InverseTests {
  @Test("12: one to many", arguments: Stack.types)
  func oneToMany(_ type: StoreType) throws {
    let stack = try Stack(type)
    let context = stack.context
    let (ada, bob) = (try context.student("S1"), try context.student("S2"))
    let (first, second) = (try context.schoolClass(1), try context.schoolClass(2))
    ada.schoolClass = first
    #expect(first.students == [ada])
    ada.schoolClass = second
    #expect(first.students == [] && second.students == [ada])
    first.students.insert(bob)
    #expect(bob.schoolClass === first)
    first.students = [ada]
    #expect(ada.schoolClass === first && bob.schoolClass == nil && second.students == [])
    first.students.remove(ada)
    #expect(ada.schoolClass == nil)
    second.students = [ada, bob]
    try context.save()
    #expect(second.students == [ada, bob] && first.students == [])
    let other = stack.otherContext()
    let classes = try other.fetch(FetchRequest<SchoolClass>(sortedBy: [SortKey("classId")]))
    #expect(classes.map { $0.students.map(\.studentId).sorted() } == [[], ["S1", "S2"]])
    // Moved without having looked at who is in the classes.
    let student = try #require(try other.fetch(FetchRequest<Student>(sortedBy: [SortKey("studentId")])).first)
    let third = stack.otherContext()
    let moved = try #require(third.object(with: student.objectID) as? Student)
    moved.schoolClass = third.object(with: classes[0].objectID) as? SchoolClass
    #expect(moved.schoolClass?.students == [moved])
    #expect((third.object(with: classes[1].objectID) as? SchoolClass)?.students.map(\.studentId) == ["S2"])
    try third.save()
    try other.refreshAllObjects()
    #expect(classes.map { $0.students.map(\.studentId).sorted() } == [["S1"], ["S2"]])
  }

  @Test("12: many to many", arguments: Stack.types)
  func manyToMany(_ type: StoreType) throws {
    let stack = try Stack(type)
    let context = stack.context
    let (ada, bob) = (try context.student("S1"), try context.student("S2"))
    let (music, physics) = (try context.course(1), try context.course(2))
    ada.courses = [music, physics]
    physics.students.insert(bob)
    #expect(music.students == [ada] && physics.students == [ada, bob] && bob.courses == [physics])
    try context.save()
    music.students = [bob]
    #expect(ada.courses == [physics] && bob.courses == [music, physics])
    try context.save()
    let other = stack.otherContext()
    let students = try other.fetch(FetchRequest<Student>(sortedBy: [SortKey("studentId")]))
    #expect(students.map { $0.courses.map(\.courseId).sorted() } == [[2], [1, 2]])
  }

  @Test("12: objects of other contexts and entities, and deleted ones, are refused")
  func refused() throws {
    let stack = try Stack()
    let student = try stack.context.student("S1")
    let (schoolClass, course) = (try stack.context.schoolClass(1), try stack.context.course(1))
    try stack.context.save()
    let other = stack.otherContext()
    let foreign = other.object(with: schoolClass.objectID)
    #expect(throws: ObjectGraphError.self) { try student.setValue(foreign, forKey: "student_class") }
    #expect(throws: ObjectGraphError.self) { try student.setValue(course, forKey: "student_class") }
    #expect(throws: ObjectGraphError.self) { try student.setValue(Set([schoolClass]), forKey: "student_course") }
    try stack.context.delete(schoolClass)
    #expect(throws: ObjectGraphError.self) { try student.setValue(schoolClass, forKey: "student_class") }
    #expect(student.schoolClass == nil && student.courses == [] && !student.hasChanges)
    // One whose row somebody else has deleted is refused when that is noticed: here at once, as the other end must be
    // looked at, and for many to many by the save.
    try other.delete(other.object(with: course.objectID))
    try other.save()
    let third = stack.otherContext()
    let here = try #require(third.object(with: student.objectID) as? Student)
    let gone = third.object(with: course.objectID)
    try here.setValue(Set([gone]), forKey: "student_course")
    for _ in 1...2 { #expect(throws: ObjectGraphError.self) { try third.save() } }
    #expect(gone.isFault || gone.isDeleted)
    here.courses = []
    try third.save()
    #expect(!third.hasChanges && here.courses == [])
  }

  @Test("12: an object that is gone is refused at once where its other relationship must be looked at")
  func refusedAtOnce() throws {
    let stack = try Stack(model: try Tangle.model())
    let (node, key) = (try stack.context.insert(Tangle.nodes), try stack.context.insert(Tangle.keys))
    for object in [node, key] { try object.setValue(1, forKey: "number") }
    try stack.context.save()
    try stack.context.delete(key)
    try stack.context.save()
    let context = stack.otherContext()
    let (here, gone) = (context.object(with: node.objectID), context.object(with: key.objectID))
    #expect(throws: ObjectGraphError.self) { try here.setValue(gone, forKey: "key") }
    #expect(!context.hasChanges)
    #expect(try here.value(forKey: "key") == nil)
  }

  @Test("12: random edits keep inverses symmetric, across save and reopening", arguments: 1...6)
  func randomEdits(_ seed: UInt64) throws {
    var run = try RandomEdits(seed: seed)
    for _ in 1...250 {
      try run.step()
      try run.check(run.context)
    }
    try run.save()
    #expect(run.counts.allSatisfy { $0.value > 0 } && run.counts.count == RandomEdits.Step.allCases.count)
  }
}

/// A graph that is edited at random, and what it must be.
private struct RandomEdits {
  enum Step: CaseIterable { case insert, link, unlink, replace, clear, delete, save, rollback, forget, reset }

  let stack: Stack
  private(set) var context: ManagedObjectContext
  private(set) var counts: [Step: Int] = [:]
  private var graph = ReferenceGraph()
  private var saved = ReferenceGraph()
  private var objects: [Int: ManagedObject] = [:]
  private var savedIDs: [Int: ManagedObjectID] = [:]
  private var random: SplitMix64
  private var lastNumber = 0

  init(seed: UInt64) throws {
    stack = try Stack(model: try Tangle.model())
    context = stack.context
    random = SplitMix64(seed: seed)
    for _ in 1...20 { try insert() }
  }

  mutating func step() throws {
    let chances: [(Step, Int)] = [
      (.insert, 12), (.link, 40), (.unlink, 10), (.replace, 8), (.clear, 6), (.delete, 6), (.save, 8), (.rollback, 3),
      (.forget, 4), (.reset, 3),
    ]
    var choice = Int.random(in: 0..<chances.map(\.1).reduce(0, +), using: &random)
    let step = chances.first { chance in
      choice -= chance.1
      return choice < 0
    }
    guard let step = step?.0 else { return }
    counts[step, default: 0] += 1
    guard let bond = Tangle.Bond.allCases.randomElement(using: &random) else { return }
    let source = graph.objects(bond.source).randomElement(using: &random)
    let destination = graph.objects(bond.destination).randomElement(using: &random)
    switch step {
    case .insert: try insert()
    case .link: if let source, let destination { try link(source, destination, bond) }
    case .unlink: try unlink(bond)
    case .replace: if let source { try replace(source, bond) }
    case .clear:
      guard let source else { return }
      for other in graph.destinations(source, bond) { graph.unlink(source, other, bond) }
      try objects[source]?.setValue(nil, forKey: bond.name)
    case .delete: if let source { try delete(source) }
    case .save: try save()
    case .rollback:
      context.rollback()
      graph = saved
      objects = objects.filter { graph.entities[$0.key] != nil }
      for (number, id) in savedIDs where graph.entities[number] != nil { objects[number] = context.object(with: id) }
    case .forget:
      // Unchanged objects go, and come back as faults.
      objects = objects.filter { savedIDs[$0.key] == nil }
      for (number, id) in savedIDs where graph.entities[number] != nil { objects[number] = context.object(with: id) }
    case .reset:
      try save()
      context = stack.otherContext()
      objects = savedIDs.mapValues { context.object(with: $0) }
    }
  }

  // MARK: - Steps

  private mutating func insert() throws {
    lastNumber += 1
    let entity = [Tangle.nodes, Tangle.nodes, Tangle.nodes, Tangle.boxes, Tangle.keys, Tangle.tags][lastNumber % 6]
    let object = try context.insert(entity)
    try object.setValue(lastNumber, forKey: "number")
    objects[lastNumber] = object
    graph.insert(lastNumber, entity)
  }

  private mutating func link(_ source: Int, _ destination: Int, _ bond: Tangle.Bond) throws {
    guard let from = objects[source], let to = objects[destination] else { throw Missing() }
    graph.link(source, destination, bond)
    // From one side or from the other.
    if Bool.random(using: &random) {
      try set(from, bond.name, isToOne: bond.isToOne, to)
    } else {
      try set(to, bond.inverse, isToOne: bond.isInverseToOne, from)
    }
  }

  private func set(_ object: ManagedObject, _ name: String, isToOne: Bool, _ other: ManagedObject) throws {
    if isToOne {
      try object.setValue(other, forKey: name)
    } else {
      try object.add(other, to: try object.entity.relationship(name))
    }
  }

  private mutating func unlink(_ bond: Tangle.Bond) throws {
    let order = { (left: ReferenceGraph.Pair, right: ReferenceGraph.Pair) in
      (left.source, left.destination) < (right.source, right.destination)
    }
    guard let pair = graph.pairs(bond).sorted(by: order).randomElement(using: &random) else { return }
    guard let from = objects[pair.source], let to = objects[pair.destination] else { throw Missing() }
    graph.unlink(pair.source, pair.destination, bond)
    switch (bond.isToOne, bond.isInverseToOne) {
    case (true, _): try from.setValue(nil, forKey: bond.name)
    case (_, true): try to.setValue(nil, forKey: bond.inverse)
    default: try to.remove(from, from: try to.entity.relationship(bond.inverse))
    }
  }

  /// Sets a whole to-many relationship.
  private mutating func replace(_ source: Int, _ bond: Tangle.Bond) throws {
    guard !bond.isToOne else { return }
    let all = graph.objects(bond.destination)
    let chosen = Set((0..<4).compactMap { _ in all.randomElement(using: &random) })
    for other in graph.destinations(source, bond).subtracting(chosen) { graph.unlink(source, other, bond) }
    for other in chosen { graph.link(source, other, bond) }
    try objects[source]?.setValue(Set(chosen.compactMap { objects[$0] }), forKey: bond.name)
  }

  private mutating func delete(_ number: Int) throws {
    guard let object = objects[number] else { throw Missing() }
    try context.delete(object)
    graph.delete(number)
    // Without this the rules are carried out by the next save, which is after the next comparison.
    try context.processPendingChanges()
    objects = objects.filter { graph.entities[$0.key] != nil }
  }

  /// Saves, and compares the store with what it must hold.
  mutating func save() throws {
    try context.save()
    saved = graph
    savedIDs = objects.mapValues(\.objectID)
    #expect(savedIDs.values.allSatisfy { !$0.isTemporary })
    #expect(!context.hasChanges)
    let fresh = try stack.reopened()
    var found: [Int: ManagedObject] = [:]
    for entity in Tangle.Bond.allCases.flatMap({ [$0.source, $0.destination] }) {
      for object in try fresh.fetch(FetchRequest<ManagedObject>(entity)) {
        found[try #require(try object.value(forKey: "number") as? Int64).asInt] = object
      }
    }
    try compare(found)
    // Pairs of objects that are gone would be left here.
    for (table, name) in [("Z_3FRIENDS", "friends"), ("Z_3TAGS", "tags")] {
      let bond = try #require(Tangle.Bond.allCases.first { $0.name == name })
      #expect(try Database.number(stack.url, "SELECT COUNT(*) FROM \(table)") == graph.pairs(bond).count)
    }
  }

  // MARK: - Comparing

  func check(_ context: ManagedObjectContext) throws { try compare(objects) }

  private func compare(_ found: [Int: ManagedObject]) throws {
    try #require(Set(found.keys) == Set(graph.entities.keys))
    for (number, object) in found {
      for bond in Tangle.Bond.allCases {
        if object.entity.name == bond.source {
          try #require(try numbers(object, bond.name) == graph.destinations(number, bond), "\(number).\(bond.name)")
        }
        if object.entity.name == bond.destination {
          try #require(try numbers(object, bond.inverse) == graph.sources(number, bond), "\(number).\(bond.inverse)")
        }
      }
    }
  }

  private func numbers(_ object: ManagedObject, _ name: String) throws -> Set<Int> {
    let value = try object.value(forKey: name)
    let others = value as? Set<ManagedObject> ?? (value as? ManagedObject).map { [$0] } ?? []
    return Set(try others.map { try #require(try $0.value(forKey: "number") as? Int64).asInt })
  }

  private struct Missing: Error {}
}

extension Int64 {
  fileprivate var asInt: Int { Int(self) }
}
