import ObjectGraph
import Testing

/// Semantics 13 and 14: what objects do in their hooks while they are deleted and saved, beyond setting a property.
@Suite struct DeletionHookTests {
  /// A folder with a hook for each of its tests.
  final class Folder: ManagedObject {
    @Managed("name") var name: String
    @ManagedToOne("parent") var parent: Folder?

    @TaskLocal static var hooks = Hooks()

    override func prepareForDeletion() { Self.hooks.onDeletion(self) }
    override func willSave() { Self.hooks.onSave(self) }
    override func validateForSave() { Self.hooks.onValidation(self) }
  }

  struct Hooks: @unchecked Sendable {
    // Sendable because a test is one thread.
    var onDeletion: (Folder) -> Void = { _ in }
    var onSave: (Folder) -> Void = { _ in }
    var onValidation: (Folder) -> Void = { _ in }
  }

  /// A chain of three folders, each the parent of the next, that has been saved.
  private struct Chain {
    let stack: Stack
    let folders: [Folder]
    var context: ManagedObjectContext { stack.context }

    init(_ type: StoreType) throws {
      let children = RelationshipDescription("children", toMany: "Folder", inverse: "parent", deleteRule: .cascade)
      let stack = try Stack(
        type,
        model: try ManagedObjectModel([
          EntityDescription(
            "Folder", class: Folder.self, attributes: [AttributeDescription("name", .string, optional: false)],
            relationships: [RelationshipDescription("parent", to: "Folder", inverse: "children"), children])
        ]))
      folders = try (0..<3).map { number in
        let folder = try stack.context.insert(Folder.self)
        folder.name = "\(number)"
        return folder
      }
      for (folder, parent) in zip(folders.dropFirst(), folders) { folder.parent = parent }
      try stack.context.save()
      self.stack = stack
    }

    /// The names that the store holds.
    func stored() throws -> [String] {
      try stack.forgetful().fetch(FetchRequest<Folder>(sortedBy: [SortKey("name")])).map(\.name)
    }
  }

  @Test("13: a fetch in prepareForDeletion does not stop the cascade that it is part of", arguments: Stack.types)
  func fetchInCascade(_ type: StoreType) throws {
    let chain = try Chain(type)
    var told: [String] = []
    let hooks = Hooks(onDeletion: { folder in
      told.append(folder.name)
      _ = try? folder.managedObjectContext?.fetch(FetchRequest<Folder>())
    })
    try Folder.$hooks.withValue(hooks) {
      try chain.context.delete(chain.folders[0])
      try chain.context.save()
    }
    #expect(told == ["0", "1", "2"])
    #expect(try chain.stored().isEmpty)
  }

  @Test("13: objects that delete each other in prepareForDeletion are deleted once", arguments: Stack.types)
  func deletingOthers(_ type: StoreType) throws {
    let chain = try Chain(type)
    var told: [String] = []
    let hooks = Hooks(onDeletion: { folder in
      told.append(folder.name)
      for other in chain.folders { try? folder.managedObjectContext?.delete(other) }
    })
    try Folder.$hooks.withValue(hooks) {
      try chain.context.delete(chain.folders[2])
      try chain.context.save()
    }
    #expect(told.sorted() == ["0", "1", "2"])
    #expect(try chain.stored().isEmpty)
  }

  @Test("13: a save in the middle of a cascade is refused, and the deletion goes on", arguments: Stack.types)
  func saveInCascade(_ type: StoreType) throws {
    let chain = try Chain(type)
    var errors: [String] = []
    let hooks = Hooks(onDeletion: { folder in
      do { try folder.managedObjectContext?.save() } catch { errors.append("\(error)") }
    })
    try Folder.$hooks.withValue(hooks) {
      try chain.context.delete(chain.folders[0])
      try chain.context.save()
    }
    #expect(errors.count == 2 && errors.allSatisfy { $0.contains("prepareForDeletion") })
    #expect(try chain.stored().isEmpty)
  }

  @Test(
    "13: a reset or a rollback in prepareForDeletion ends the deletion, of the first object and of one in a cascade",
    arguments: Stack.types, ["0", "1"])
  func takenBack(_ type: StoreType, _ name: String) throws {
    for isReset in [true, false] {
      let chain = try Chain(type)
      let hooks = Hooks(onDeletion: { folder in
        guard folder.name == name, let context = folder.managedObjectContext else { return }
        isReset ? context.reset() : context.rollback()
      })
      try Folder.$hooks.withValue(hooks) {
        try chain.context.delete(chain.folders[0])
        try chain.context.processPendingChanges()
      }
      #expect(!chain.context.hasChanges)
      try chain.context.save()
      #expect(try chain.stored() == ["0", "1", "2"])
    }
  }

  @Test("14: what a hook changes of others before it fetches is saved, too", arguments: Stack.types, [true, false])
  func changeAndFetch(_ type: StoreType, _ isValidation: Bool) throws {
    let chain = try Chain(type)
    func change(_ folder: Folder) {
      guard folder === chain.folders[0], chain.folders[2].name == "2", let context = folder.managedObjectContext else {
        return
      }
      chain.folders[2].name = "changed"
      (try? context.insert(Folder.self))?.name = "new"
      try? context.delete(chain.folders[1])
      chain.folders[2].parent = nil
      _ = try? context.fetch(FetchRequest<Folder>())
    }
    let hooks = isValidation ? Hooks(onValidation: change) : Hooks(onSave: change)
    try Folder.$hooks.withValue(hooks) {
      chain.folders[0].name = "0, changed"
      try chain.context.save()
    }
    #expect(!chain.context.hasChanges)
    #expect(try chain.stored() == ["0, changed", "changed", "new"])
    #expect(chain.folders[2].name == "changed")
  }

  @Test("14: what willSave resets or rolls back is not saved", arguments: Stack.types, [true, false])
  func resetInSave(_ type: StoreType, _ isReset: Bool) throws {
    let chain = try Chain(type)
    let hooks = Hooks(onSave: { folder in
      guard let context = folder.managedObjectContext else { return }
      isReset ? context.reset() : context.rollback()
    })
    try Folder.$hooks.withValue(hooks) {
      chain.folders[0].name = "changed"
      try chain.context.delete(chain.folders[2])
      try chain.context.save()
    }
    #expect(!chain.context.hasChanges)
    #expect(try chain.stored() == ["0", "1", "2"])
  }
}
