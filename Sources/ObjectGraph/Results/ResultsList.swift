import Foundation

/// The results of a fetch request: objects in sorted order, in sections, with the values by which the objects were
/// sorted.
struct ResultsList {
  /// An object in the list, with the values by which it was sorted.
  struct Entry {
    let object: ManagedObject
    let position: FetchPlan.Position
  }

  struct Section {
    /// The value of the first sort key, equal for all objects of the section. Null if the list has no sections.
    let key: Value
    var entries: [Entry] = []
  }

  let plan: FetchPlan
  let isSectioned: Bool
  var sections: [Section] = []
  var positions: [ManagedObject: FetchPlan.Position] = [:]

  init(_ entries: [Entry], _ plan: FetchPlan, isSectioned: Bool) {
    self.plan = plan
    self.isSectioned = isSectioned
    if !isSectioned { sections = [Section(key: .null)] }
    positions.reserveCapacity(entries.count)
    for entry in entries.sorted(by: { plan.isOrdered($0.position, $1.position) }) {
      positions[entry.object] = entry.position
      if isSectioned, let key = entry.position.values.first, sections.last?.key.isSame(as: key) != true {
        sections.append(Section(key: key))
      }
      sections[sections.count - 1].entries.append(entry)
    }
  }

  func indexPath(of object: ManagedObject) -> IndexPath? {
    guard let position = positions[object] else { return nil }
    let section = isSectioned ? sections.partitioningIndex { !precedes($0.key, position.values[0]) } : 0
    guard section < sections.count else { return nil }
    return IndexPath(item: item(of: position, in: sections[section].entries), section: section)
  }

  func item(of position: FetchPlan.Position, in entries: [Entry]) -> Int {
    entries.partitioningIndex { !plan.isOrdered($0.position, position) }
  }

  func precedes(_ left: Value, _ right: Value) -> Bool {
    plan.order[0].ascending ? left.precedes(right) : right.precedes(left)
  }
}

extension Array {
  mutating func remove(atOrdered indices: [Int]) {
    guard var end = indices.first else { return }
    var next = 0
    for index in end..<count {
      if next < indices.count, indices[next] == index {
        next += 1
      } else {
        swapAt(end, index)
        end += 1
      }
    }
    removeSubrange(end...)
  }

  /// Inserts new elements, sorted by index, each before the existing element at its `index`.
  mutating func insert(atOrdered new: [(index: Int, element: Element)]) {
    var from = count
    append(contentsOf: new.map(\.element))
    var to = count
    for (index, element) in new.reversed() {
      while from > index {
        from -= 1
        to -= 1
        swapAt(from, to)
      }
      to -= 1
      self[to] = element
    }
  }
}
