import Foundation
import Synchronization
import Testing

@testable import ObjectGraph

/// Semantic 30: long values in separate files. Facts 22, 23.
@Suite struct ExternalDataTests {
  private static func entities(_ isExternal: Bool = true) -> [EntityDescription] {
    [
      EntityDescription(
        "Photo",
        attributes: [
          AttributeDescription("title", .string),
          AttributeDescription("image", .binary, allowsExternalBinaryDataStorage: isExternal),
        ],
        relationships: [RelationshipDescription("album", to: "Album", inverse: "photos")],
        uniquenessConstraints: [["title"]]),
      EntityDescription(
        "Album", attributes: [AttributeDescription("title", .string)],
        relationships: [RelationshipDescription("photos", toMany: "Photo", inverse: "album", deleteRule: .cascade)]),
    ]
  }

  private static let options = StoreOptions().with { $0.externalStorageThreshold = 1_000 }

  private static func stack(_ type: StoreType = .sqlite) throws -> Stack {
    try Stack(type, model: ManagedObjectModel(entities()), options: options)
  }

  private static func bytes(_ count: Int, _ seed: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 31) ^ ($0 >> 8) &+ seed) }
  }

  @discardableResult
  private static func photo(
    _ title: String, _ count: Int, _ seed: Int = 1, _ context: ManagedObjectContext
  ) throws -> ManagedObject {
    try context.insert("Photo", ["title": title, "image": bytes(count, seed)])
  }

  /// The length and the hash of each image, by its title.
  private static func images(_ context: ManagedObjectContext) throws -> [String: String] {
    var images: [String: String] = [:]
    for photo in try context.fetch(FetchRequest<ManagedObject>("Photo")) {
      let title = try photo.value(forKey: "title") as? String ?? "-"
      images[title] = (try photo.value(forKey: "image") as? Data).map { "\($0.count) \($0.hashValue)" } ?? "nil"
    }
    return images
  }

  private static func images(in directory: URL) throws -> [String: String] {
    let url = directory.appendingPathComponent("store.db")
    return try images(Stack.open(.sqlite, at: url, model: ManagedObjectModel(entities()), options: options))
  }

  private static func expected(_ all: [(String, Int?, Int)]) -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: all.map { title, count, seed in
        (title, count.map { "\($0) \(Data(bytes($0, seed)).hashValue)" } ?? "nil")
      })
  }

  private static func folder(_ stack: Stack) -> URL {
    stack.directory.appendingPathComponent(".store.db_SUPPORT/_EXTERNAL_DATA")
  }

  private static func files(_ stack: Stack) -> Set<String> {
    Set((try? FileManager.default.contentsOfDirectory(atPath: folder(stack).path)) ?? [])
  }

  @Test("30: values of every length come back as they were, in all types of stores", arguments: Stack.types)
  func values(_ type: StoreType) throws {
    let stack = try Self.stack(type)
    let lengths = [0, 1, 37, 999, 1_000, 1_001, 300_000]
    for length in lengths { try Self.photo("\(length)", length, length, stack.context) }
    _ = try stack.context.insert("Photo")
    try stack.context.save()
    let expected = Self.expected(lengths.map { ("\($0)", $0, $0) } + [("-", nil, 0)])
    for context in [stack.context, stack.otherContext(), try stack.forgetful()] {
      #expect(try Self.images(context) == expected)
    }
    // Only stores of SQLite have such files.
    #expect(Self.files(stack).count == (type == .sqlite ? 3 : 0))
    // No request can look at the values, in any store.
    let image = Property("image")
    func count(_ predicate: FetchPredicate?, sortedBy order: [SortKey] = []) throws -> Int {
      try stack.context.fetch(FetchRequest<ManagedObject>("Photo", where: predicate, sortedBy: order)).count
    }
    for predicate in [image == Data([1]), image.isIn([Data([1])]), image > Data([1])] {
      #expect(throws: ObjectGraphError.self) { try count(predicate) }
    }
    #expect(throws: ObjectGraphError.self) { try count(nil, sortedBy: [SortKey("image")]) }
    #expect(try count(image == Value.null) == 1 && count(image != Value.null) == 7)
  }

  @Test("30: a column holds 1 and the value, or 2 and the name of a file beside the store")
  func layout() throws {
    let stack = try Self.stack()
    try Self.photo("short", 3, 0, stack.context)
    try Self.photo("long", 300_000, 0, stack.context)
    try stack.context.save()
    try stack.coordinator.settle()
    let name = try #require(Self.files(stack).first)
    #expect(UUID(uuidString: name) != nil && Self.files(stack).count == 1)
    let file = Self.folder(stack).appendingPathComponent(name)
    #expect(try Data(contentsOf: file) == Data(Self.bytes(300_000, 0)))
    let rows = try Database.rows(stack.url, "SELECT ZTITLE, hex(ZIMAGE) FROM ZPHOTO ORDER BY 1")
    #expect(rows[1] == ["short", "01" + Value.hex(Self.bytes(3, 0)).uppercased()])
    #expect(rows[0] == ["long", "02" + Value.hex(Array(name.utf8)).uppercased()])
    #expect(try Data(contentsOf: stack.url).count < 100_000)
    // The error for a missing file names object and file.
    try FileManager.default.removeItem(at: file)
    let error = #expect(throws: ObjectGraphError.self) { try Self.images(stack.reopened()) }
    let text = try #require(error).description
    #expect(text.contains("Photo 2.ZIMAGE") && text.contains(name), "\(text)")
  }

  @Test("30: a file goes with its value, by each way of removal, and stays after a rollback")
  func removal() throws {
    let stack = try Self.stack()
    let context = stack.context
    func expect(_ count: Int, _ what: String) throws {
      try stack.coordinator.settle()
      #expect(Self.files(stack).count == count, "\(what)")
      _ = try Self.images(stack.otherContext())
    }
    let album = try context.insert("Album")
    let photos = try (0..<6).map { number in
      let photo = try Self.photo("\(number)", 2_000, number, context)
      if number >= 4 { try photo.setValue(album, forKey: "album") }
      return photo
    }
    #expect(Self.files(stack).isEmpty)
    try context.save()
    try expect(6, "saved")
    let before = Self.files(stack)
    try photos[0].setValue("another title", forKey: "title")
    try context.save()
    #expect(Self.files(stack) == before)
    try photos[0].setValue(Self.bytes(3_000, 9), forKey: "image")
    context.rollback()
    #expect(Self.files(stack) == before)
    // A save that fails leaves none of its files.
    try photos[0].setValue(Self.bytes(3_000, 9), forKey: "image")
    let twin = try Self.photo("5", 5_000, 0, context)
    #expect(throws: ObjectGraphError.self) { try context.save() }
    #expect(Self.files(stack) == before)
    try context.delete(twin)
    try context.save()
    try expect(6, "replaced")
    #expect(Self.files(stack).subtracting(before).count == 1)
    try photos[1].setValue(Self.bytes(10, 9), forKey: "image")
    try photos[2].setValue(nil, forKey: "image")
    try context.save()
    try expect(4, "short, and nil")
    try context.delete(photos[0])
    try context.save()
    try expect(3, "deleted")
    try context.execute(BatchDeleteRequest(FetchRequest<ManagedObject>("Photo", where: Property("title") == "3")))
    try expect(2, "deleted in batch")
    try context.execute(BatchDeleteRequest(FetchRequest<ManagedObject>("Album")))
    try expect(0, "deleted by a cascade")
  }

  @Test("30: batch requests write, replace and drop files as saves do")
  func batches() throws {
    let stack = try Self.stack()
    let context = stack.context
    func rows(_ seed: Int) -> [[String: (any ManagedValue)?]] {
      (0..<5).map { ["title": "\($0)", "image": Self.bytes(500 * $0, seed)] }
    }
    try context.execute(BatchInsertRequest("Photo", objects: rows(1)))
    #expect(Self.files(stack).count == 3)
    #expect(throws: ObjectGraphError.self) { try context.execute(BatchInsertRequest("Photo", objects: rows(2))) }
    #expect(Self.files(stack).count == 3)
    for (seed, policy) in [(3, MergePolicy.mergeByPropertyStoreTrump), (4, .mergeByPropertyObjectTrump)] {
      context.mergePolicy = policy
      try context.execute(BatchInsertRequest("Photo", objects: rows(seed)))
      try stack.coordinator.settle()
      #expect(Self.files(stack).count == 3)
    }
    #expect(try Self.images(stack.reopened()) == Self.expected((0..<5).map { ("\($0)", 500 * $0, 4) }))
  }

  @Test("30: files of killed saves are removed at the next opening, and nothing else")
  func kills() throws {
    let ground = try Self.stack()
    for number in 0..<4 { try Self.photo("\(number)", 2_000, number, ground.context) }
    try ground.context.save()
    try ground.coordinator.remove(ground.store)
    let (old, new) = (
      Self.expected((0..<4).map { ("\($0)", 2_000, $0) }),
      Self.expected([("0", 2_500, 10), ("1", 5, 11), ("3", 2_000, 3), ("4", 9_000, 4)])
    )
    // A process that is killed after a statement of a save does not change the files afterwards.
    let copies = Mutex<[URL]>([])
    var options = Self.options
    let directory = ground.directory
    options.sqlTrace = { _ in
      let copy = directory.deletingLastPathComponent().appendingPathComponent("graph-copy-\(UUID().uuidString)")
      try? FileManager.default.copyItem(at: directory, to: copy)
      copies.withLock { $0.append(copy) }
    }
    defer { for copy in copies.withLock(\.self) { try? FileManager.default.removeItem(at: copy) } }
    let context = try Stack.open(.sqlite, at: ground.url, model: ground.model, options: options)
    let photos = try context.fetch(FetchRequest<ManagedObject>("Photo", sortedBy: [SortKey("title")]))
    try photos[0].setValue(Self.bytes(2_500, 10), forKey: "image")
    try photos[1].setValue(Self.bytes(5, 11), forKey: "image")
    try context.delete(photos[2])
    try Self.photo("4", 9_000, 4, context)
    try context.save()
    var seen: [Bool] = []
    for copy in copies.withLock(\.self) {
      let folder = copy.appendingPathComponent(".store.db_SUPPORT/_EXTERNAL_DATA")
      try Data("x".utf8).write(to: folder.appendingPathComponent("a file of somebody else"))
      let found = try Self.images(in: copy)
      #expect(found == old || found == new)
      seen.append(found == new)
      // Exactly the files that are referred to, and the strange one.
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == (found == new ? 4 : 5))
    }
    #expect(seen.contains(true) && seen.contains(false))
  }

  @Test("30: a power cut that takes back the last saves takes back no file that they replaced")
  func powerCut() throws {
    let stack = try Self.stack()
    let photo = try Self.photo("a", 2_000, 0, stack.context)
    try stack.context.save()
    // WAL at synchronous NORMAL: what is written until the next checkpoint may be lost, files included that were flushed.
    let saved = try ["store.db", "store.db-wal"].map {
      (name: $0, data: try Data(contentsOf: stack.directory.appendingPathComponent($0)))
    }
    for round in 1...40 {
      try photo.setValue(Self.bytes(2_000, round), forKey: "image")
      try stack.context.save()
      guard round < 20 else { continue }
      // The earlier database with the present files.
      let copy = stack.directory.deletingLastPathComponent().appendingPathComponent("graph-cut-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: copy) }
      try FileManager.default.copyItem(at: stack.directory, to: copy)
      try? FileManager.default.removeItem(at: copy.appendingPathComponent("store.db-shm"))
      for (name, data) in saved { try data.write(to: copy.appendingPathComponent(name)) }
      #expect(try Self.images(in: copy) == Self.expected([("a", 2_000, 0)]))
    }
    // Old files do not pile up.
    #expect(Self.files(stack).count < 35)
    try stack.coordinator.settle()
    #expect(Self.files(stack).count == 1)
  }

  @Test("30: a store with external values is not migrated to a model without them")
  func models() throws {
    let stack = try Self.stack()
    try Self.photo("a", 2_000, 0, stack.context)
    try stack.context.save()
    try stack.coordinator.remove(stack.store)
    let migrating = Self.options.with { ($0.migratesAutomatically, $0.infersMapping) = (true, true) }
    let inline = try ManagedObjectModel(Self.entities(false))
    let text = errorText { try Stack.open(.sqlite, at: stack.url, model: inline, options: migrating) }
    #expect(text?.contains("the store allows separate files for Photo.image, but the model does not") == true)
    #expect(Self.files(stack).count == 1)
    // Without the attribute, its files go.
    var entities = Self.entities()
    entities[0].attributes.remove(at: 1)
    _ = try Stack.open(.sqlite, at: stack.url, model: ManagedObjectModel(entities), options: migrating)
    #expect(Self.files(stack).isEmpty)
    // A text, a default value and an index are refused.
    for (attribute, indexes) in [
      (AttributeDescription("image", .string, allowsExternalBinaryDataStorage: true), []),
      (AttributeDescription("image", .binary, default: .binary([1]), allowsExternalBinaryDataStorage: true), []),
      (AttributeDescription("image", .binary, allowsExternalBinaryDataStorage: true), [["image"]]),
    ] as [(AttributeDescription, [[String]])] {
      #expect(throws: ObjectGraphError.self) {
        try ManagedObjectModel([EntityDescription("Photo", attributes: [attribute], indexes: indexes)])
      }
    }
  }
}
