import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Semantic 20: four types of stores. The tests of the other semantics run on each of them (``Stack/types``).
@Suite struct StoreTypeTests {
  @Test("20: values of every type come back as they were, byte for byte", arguments: [StoreType.binary, .xml], 0..<5)
  func values(_ type: StoreType, seed: Int) throws {
    let history = try StoreHistory(type)
    let entities = try Everything.model().entities.map(\.description)
    var random = SplitMix64(seed: UInt64(seed))
    var saved = try history.open(entities) { context in
      try Everything.fill(context, &random)
      try context.save()
      return try Graph(context)
    }
    #expect(saved.objects.count > 50)
    for round in 0..<3 {
      // A save that touches one object writes all others again.
      let read = try history.open(entities) { context in
        let read = try Graph(context)
        try context.fetch(FetchRequest<ManagedObject>("Tag"))[0].setValue("round \(round)", forKey: "word")
        try context.save()
        return read
      }
      #expect(read == saved)
      saved.objects["Tag/1"]?["word"] = "'round \(round)'"
    }
  }

  @Test(
    "20: XML and binary write the whole file with each save, SQLite some pages, memory nothing", arguments: Stack.types)
  func bytesPerSave(_ type: StoreType) async throws {
    let stack = try Stack(.inMemory)
    await #expect(processExitsWith: .success) { [path = stack.url.path as String, type = type as StoreType] in
      let context = try Stack.open(type, at: type == .inMemory ? nil : URL(fileURLWithPath: path))
      let students = try (1...3_000).map { try context.student("S\($0)") }
      try context.save()
      // Writes SQLite's log back to the file.
      try context.persistentStoreCoordinator.settle()
      for round in 1...3 {
        let before = try kernelFigure("wchar", in: "io")
        students[round * 100].studentDes = "changed"
        try context.savedStudent("N\(round)")
        let bytes = try kernelFigure("wchar", in: "io") - before
        let size = try? Data(contentsOf: URL(fileURLWithPath: path)).count
        switch type {
        case .binary, .xml: #expect(bytes == size)
        case .sqlite: #expect(bytes > 0 && bytes < (size ?? 0) / 5)
        case .inMemory: #expect(bytes == 0 && size == nil)
        }
      }
    }
  }

  @Test("20: a store in memory leaves no file, and is gone when it is closed")
  func memory() throws {
    let stack = try Stack(.inMemory)
    let student = try stack.context.savedStudent("S1")
    #expect(try stack.otherContext().studentCount() == 1)
    #expect(stack.store.url == nil)
    try stack.coordinator.settle()
    #expect(try stack.files(all: true).isEmpty)
    try stack.coordinator.remove(stack.store)
    let second = try stack.coordinator.addPersistentStore(.inMemory)
    #expect(second.identifier != stack.store.identifier)
    #expect(try stack.otherContext().studentCount() == 0)
    #expect(try stack.otherContext().existingObject(with: student.objectID) == nil)
    // Two of them are two stores.
    let third = try stack.coordinator.addPersistentStore(.inMemory)
    #expect(third.identifier != second.identifier)
  }

  @Test(
    "20: a save that changes nothing writes nothing, and a store that nobody saves makes no file",
    arguments: [StoreType.binary, .xml])
  func nothing(_ type: StoreType) throws {
    let stack = try Stack(type)
    try stack.context.save()
    #expect(try stack.files(all: true).isEmpty)
    let student = try stack.context.savedStudent("S1", "Ada")
    func inode() throws -> UInt64? {
      try FileManager.default.attributesOfItem(atPath: stack.url.path)[.systemFileNumber] as? UInt64
    }
    let before = try inode()
    student.studentName = "Eva"
    student.studentName = "Ada"
    try stack.context.save()
    #expect(try inode() == before)
    student.studentName = "Eva"
    try stack.context.save()
    // It was replaced.
    #expect(try inode() != before)
    #expect(try stack.files(all: true).keys.sorted() == ["store.db"])
  }
}
