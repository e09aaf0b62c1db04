import Foundation
import ObjectGraph
import TestSupport
import Synchronization
import Testing

/// What objects do while they are saved or deleted: `willSave`, validation, `didSave`, `prepareForDeletion` (facts 28
/// and 29 of Core Data).
@Suite struct SaveHookTests {
  private static let entities = [
    EntityDescription(
      "Page", class: Page.self,
      attributes: [
        AttributeDescription("title", .string, optional: false), AttributeDescription("words", .integer64),
      ],
      relationships: [
        RelationshipDescription("next", to: "Page", inverse: "previous", deleteRule: .cascade),
        RelationshipDescription("previous", to: "Page", inverse: "next"),
      ])
  ]

  private func stack(_ type: StoreType) throws -> Stack { try Stack(type, model: ManagedObjectModel(Self.entities)) }

  private func page(_ title: String, _ context: ManagedObjectContext) throws -> Page {
    let page = try context.insert(Page.self)
    try page.setValue(title, forKey: "title")
    return page
  }

  private func titles(_ context: ManagedObjectContext) throws -> Set<String> {
    Set(try context.fetch(FetchRequest<Page>()).compactMap { try $0.value(forKey: "title") as? String })
  }

  @Test(arguments: Stack.types) func `what validation changes is validated`(_ type: StoreType) throws {
    let stack = try stack(type)
    let (one, other) = (try page("one", stack.context), try page("other", stack.context))
    try stack.context.save()
    let before = try stack.files()
    // The one that is validated last takes from the first what it must have.
    for (victim, culprit) in [(one, other), (other, one)] {
      try culprit.setValue(7, forKey: "words")
      culprit.onValidation = { _ in try victim.setValue(nil, forKey: "title") }
      let error = #expect(throws: ObjectGraphError.self) { try stack.context.save() }
      guard case .validation(let failures)? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(failures.map(\.key) == ["title"] && failures.map(\.objectID) == [victim.objectID])
      #expect(try stack.files() == before)
      culprit.onValidation = nil
      stack.context.rollback()
    }
    #expect(try titles(stack.forgetful()) == ["one", "other"])
  }

  @Test(arguments: Stack.types) func `objects are told before each validation, and those changed again once more`(
    _ type: StoreType
  ) throws {
    let stack = try stack(type)
    let context = stack.context
    let (one, other) = (try page("one", context), try page("other", context))
    let bystander = try page("bystander", context)
    var log: [String] = []
    func listen(_ page: Page, _ name: String) {
      page.onWillSave = { _ in log.append("will \(name)") }
      page.onValidation = { _ in log.append("validate \(name)") }
      page.onDidSave = { page in log.append("did \(name) \(page.objectID.isTemporary ? "temporary" : "saved")") }
    }
    listen(other, "other")
    listen(bystander, "bystander")
    one.onWillSave = { one in
      log.append("will one")
      // Compared before it is set, as an app has to.
      if (try? one.value(forKey: "words") as? Int64) != 1 {
        try? one.setValue(1, forKey: "words")
        try? other.setValue(2, forKey: "words")
        _ = try? self.page("made in willSave", context)
      }
    }
    try context.save()
    let wills = log.filter { $0.hasPrefix("will") }
    #expect(wills.count { $0 == "will one" } == 2 && wills.count { $0 == "will other" } == 2)
    #expect(wills.count { $0 == "will bystander" } == 1, "nothing of it has changed")
    let firstValidation = try #require(log.firstIndex { $0.hasPrefix("validate") })
    #expect(log.lastIndex { $0.hasPrefix("will") }! < firstValidation)
    #expect(log.filter { $0.hasPrefix("did") }.sorted() == ["did bystander saved", "did other saved"])
    #expect(try titles(stack.forgetful()) == ["one", "other", "bystander", "made in willSave"])
    #expect(!context.hasChanges)
  }

  @Test(arguments: Stack.types) func `a save that is never done fails and writes nothing`(_ type: StoreType) throws {
    let stack = try stack(type)
    let page = try page("one", stack.context)
    try stack.context.save()
    let before = try stack.files()
    var count = 0
    page.onWillSave = { page in
      count += 1
      try? page.setValue(count, forKey: "words")
    }
    try page.setValue("changed", forKey: "title")
    let error = #expect(throws: ObjectGraphError.self) { try stack.context.save() }
    guard case .unsettled("Page")? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(count == 1000 && "\(error!)".contains("compare there before you set"))
    #expect(try stack.files() == before)
    #expect(stack.context.hasChanges)
    page.onWillSave = nil
    try stack.context.save()
    #expect(try titles(stack.forgetful()) == ["changed"])
  }

  @Test(arguments: Stack.types) func `objects that nobody holds are told, too, and deleted ones`(_ type: StoreType)
    throws
  {
    let stack = try stack(type)
    let saved = Mutex<[String]>([])
    for title in ["a", "b"] {
      try page(title, stack.context).onDidSave = { page in
        saved.withLock { $0.append("\(page.objectID.isTemporary) \(page.isInserted)") }
      }
    }
    try stack.context.save()
    #expect(saved.withLock { $0 } == ["false false", "false false"])
    let page = try #require(try stack.context.fetch(FetchRequest<Page>()).first)
    var told = 0
    page.onDidSave = { page in
      told += 1
      #expect(page.managedObjectContext == nil)
    }
    try stack.context.delete(page)
    try stack.context.save()
    #expect(told == 1)
  }

  @Test(arguments: Stack.types) func `what is about to be deleted still has its relationships`(_ type: StoreType) throws
  {
    let stack = try stack(type)
    let context = stack.context
    let pages = try (0..<3).map { try page("\($0)", context) }
    try pages[0].setValue(pages[1], forKey: "next")
    try pages[1].setValue(pages[2], forKey: "next")
    try context.save()
    var log: [String] = []
    for (number, page) in pages.enumerated() {
      page.onDeletion = { page in
        let next = try? page.value(forKey: "next") as? Page
        log.append("\(number) \((try? next?.value(forKey: "title")) as? String ?? "-") \(page.isDeleted)")
        // To delete what is being deleted, or who is next, must neither loop nor be lost.
        try? context.delete(page)
      }
    }
    context.undoManager = UndoManager()
    try context.delete(pages[0])
    try context.processPendingChanges()
    #expect(log == ["0 1 false", "1 2 false", "2 - false"])
    #expect(pages.allSatisfy { $0.isDeleted })
    try context.undoManager?.undo()
    try context.undoManager?.redo()
    #expect(log.count == 3, "not told again of what is done again")
    try context.save()
    #expect(try titles(stack.forgetful()).isEmpty)
  }
}

/// A page that does what a test wants.
private final class Page: ManagedObject {
  var onWillSave: ((Page) -> Void)?
  var onValidation: ((Page) throws -> Void)?
  var onDidSave: ((Page) -> Void)?
  var onDeletion: ((Page) -> Void)?

  override func willSave() { onWillSave?(self) }
  override func validateForSave() throws { try onValidation?(self) }
  override func didSave() { onDidSave?(self) }
  override func prepareForDeletion() { onDeletion?(self) }
}
