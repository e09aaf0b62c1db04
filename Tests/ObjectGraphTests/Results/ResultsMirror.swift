import Foundation
import ObjectGraph
import Testing

/// A table that follows a controller by its events only. It repeats every event and checks that each is possible.
final class ResultsMirror<Object: ManagedObject>: FetchedResultsControllerDelegate {
  /// The sections' names and objects.
  private(set) var sections: [(name: String, objects: [Object])] = []
  private(set) var events: [String] = []
  private(set) var counts: [String: Int] = [:]
  /// Called between the announcement of a change and its events.
  var onWillChange: (() -> Void)?
  private let name: (Object) -> String

  private var deletedSections: [Int] = []
  private var insertedSections: [(index: Int, name: String)] = []
  private var departures: [(path: IndexPath, object: Object)] = []
  private var arrivals: [(path: IndexPath, object: Object)] = []
  private var updates: [(old: IndexPath, new: IndexPath, object: Object)] = []
  private var isOpen = false

  init(_ name: @escaping (Object) -> String) { self.name = name }

  /// Becomes the delegate of a controller that has fetched nothing yet, and takes over its results.
  func follow(_ controller: FetchedResultsController<Object>) throws {
    controller.delegate = self
    try controller.performFetch()
    sections = (controller.sections ?? []).map { ($0.name, $0.objects) }
  }

  var objects: [Object] { sections.flatMap(\.objects) }

  // MARK: - Events

  func controllerWillChangeContent(_ controller: FetchedResultsController<Object>) {
    #expect(!isOpen)
    isOpen = true
    events = []
    // The old results are still there.
    #expect(controller.fetchedObjects == objects)
    onWillChange?()
  }

  func controller(
    _ controller: FetchedResultsController<Object>, didChange sectionInfo: FetchedResultsSectionInfo<Object>,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) {
    #expect(isOpen)
    note("\(type) section \(sectionIndex) '\(sectionInfo.name)'", "\(type) section")
    switch type {
    case .delete:
      #expect(sections[sectionIndex].name == sectionInfo.name)
      deletedSections.append(sectionIndex)
    case .insert: insertedSections.append((sectionIndex, sectionInfo.name))
    case .move, .update: Issue.record("a section is neither moved nor updated")
    }
  }

  func controller(
    _ controller: FetchedResultsController<Object>, didChange object: Object, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    #expect(isOpen)
    let positions = [indexPath, newIndexPath].compactMap { $0.map { "\($0.section).\($0.item)" } }
    note("\(type) \(name(object)) \(positions.joined(separator: " to "))", "\(type)")
    if let indexPath { #expect(sections[indexPath.section].objects[indexPath.item] === object) }
    switch (type, indexPath, newIndexPath) {
    case (.insert, nil, let new?): arrivals.append((new, object))
    case (.delete, let old?, nil): departures.append((old, object))
    case (.move, let old?, let new?):
      departures.append((old, object))
      arrivals.append((new, object))
    case (.update, let old?, let new?): updates.append((old, new, object))
    default: Issue.record("a \(type) from \(String(describing: indexPath)) to \(String(describing: newIndexPath))")
    }
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController<Object>) {
    #expect(isOpen)
    isOpen = false
    for (path, object) in departures.sorted(by: { $0.path > $1.path }) {
      let removed = sections[path.section].objects.remove(at: path.item)
      #expect(removed === object)
    }
    for index in deletedSections.sorted(by: >) {
      #expect(sections.remove(at: index).objects.isEmpty)
    }
    for (index, name) in insertedSections.sorted(by: { $0.index < $1.index }) {
      sections.insert((name, []), at: index)
    }
    for (path, object) in arrivals.sorted(by: { $0.path < $1.path }) {
      sections[path.section].objects.insert(object, at: path.item)
    }
    for (_, new, object) in updates { #expect(sections[new.section].objects[new.item] === object) }
    (deletedSections, insertedSections, departures, arrivals, updates) = ([], [], [], [], [])
  }

  private func note(_ event: String, _ kind: String) {
    events.append(event)
    counts[kind, default: 0] += 1
  }
}
