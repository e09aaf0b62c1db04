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
    /// The index of the section before the latest update. Nil if the update inserted the section.
    var former: Int?
  }

  let plan: FetchPlan
  let isSectioned: Bool
  private(set) var sections: [Section] = []
  private(set) var positions: [ManagedObject: FetchPlan.Position] = [:]

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

  func object(at path: IndexPath) -> ManagedObject? {
    guard path.count == 2, sections.indices.contains(path.section),
      sections[path.section].entries.indices.contains(path.item)
    else { return nil }
    return sections[path.section].entries[path.item].object
  }

  func indexPath(of object: ManagedObject) -> IndexPath? {
    guard let position = positions[object] else { return nil }
    let section = section(of: position)
    guard section < sections.count else { return nil }
    return IndexPath(item: item(of: position, in: section), section: section)
  }

  private func section(of position: FetchPlan.Position) -> Int {
    isSectioned ? sections.partitioningIndex { !precedes($0.key, position.values[0]) } : 0
  }

  private func item(of position: FetchPlan.Position, in section: Int) -> Int {
    sections[section].entries.partitioningIndex { !plan.isOrdered($0.position, position) }
  }

  private func precedes(_ left: Value, _ right: Value) -> Bool {
    plan.order[0].ascending ? left.precedes(right) : right.precedes(left)
  }
}

// MARK: - Changes

extension ResultsList {
  struct Alteration {
    let object: ManagedObject
    /// The new position of the object in the sort order. Nil if the object is no longer in the results.
    let position: FetchPlan.Position?
    /// Whether the object itself was changed. False if only the object's position may differ, for example after a
    /// change of a related object.
    let isChanged: Bool
  }

  struct Changes {
    /// The sections that were deleted, with their former indices and without objects, then those that were inserted.
    var sections: [(index: Int, section: Section, type: FetchedResultsChangeType)] = []
    var objects: [(object: ManagedObject, type: FetchedResultsChangeType, old: IndexPath?, new: IndexPath?)] = []
  }

  func isEffective(_ alteration: Alteration) -> Bool {
    switch (positions[alteration.object], alteration.position) {
    case (nil, nil): false
    case (let old?, let new?): alteration.isChanged || old != new
    default: true
    }
  }

  /// Updates the sorted results, and returns the changes for the delegate. Each object may occur only once in
  /// `alterations`.
  mutating func apply(_ alterations: [Alteration]) -> Changes {
    var departures: [(object: ManagedObject, old: IndexPath)] = []
    var arrivals: [(entry: Entry, isChanged: Bool)] = []
    var staying: [(object: ManagedObject, old: IndexPath)] = []
    for alteration in alterations {
      let old = indexPath(of: alteration.object)
      if let old, positions[alteration.object] == alteration.position {
        if alteration.isChanged { staying.append((alteration.object, old)) }
        continue
      }
      if let old { departures.append((alteration.object, old)) }
      if let position = alteration.position {
        arrivals.append((Entry(object: alteration.object, position: position), alteration.isChanged))
      }
    }
    departures.sort { $0.old < $1.old }
    arrivals.sort { plan.isOrdered($0.entry.position, $1.entry.position) }

    for index in sections.indices { sections[index].former = index }
    let departed = takeOut(departures)
    var changes = Changes()
    let places = putIn(arrivals.map(\.entry), &changes)
    func add(_ object: ManagedObject, _ type: FetchedResultsChangeType, from old: IndexPath?) {
      changes.objects.append((object, type, old, indexPath(of: object)))
    }
    for (object, old) in departures where positions[object] == nil { add(object, .delete, from: old) }
    var back: [(object: ManagedObject, isChanged: Bool, old: IndexPath)] = []
    for ((entry, isChanged), place) in zip(arrivals, places) {
      guard let (old, rank) = departed[entry.object] else {
        add(entry.object, .insert, from: nil)
        continue
      }
      if old.section == place.former, rank == place.rank {
        back.append((entry.object, isChanged, old))
      } else {
        add(entry.object, .move, from: old)
      }
    }
    // Returning objects may have changed their order relative to each other. A longest ascending part of them counts as
    // unmoved.
    let unmoved = Set(back.map(\.old).longestIncreasing())
    for (index, (object, isChanged, old)) in back.enumerated() {
      if !unmoved.contains(index) {
        add(object, .move, from: old)
      } else if isChanged {
        add(object, .update, from: old)
      }
    }
    for (object, old) in staying { add(object, .update, from: old) }
    return changes
  }

  /// Removes objects, which are in order. Returns the old index path and the rank of each: the number of objects that
  /// precede it in its section and stay there.
  private mutating func takeOut(
    _ departures: [(object: ManagedObject, old: IndexPath)]
  ) -> [ManagedObject: (old: IndexPath, rank: Int)] {
    var departed: [ManagedObject: (old: IndexPath, rank: Int)] = [:]
    for (section, part) in Dictionary(grouping: departures, by: \.old.section) {
      for (number, (object, old)) in part.enumerated() {
        departed[object] = (old, old.item - number)
        positions[object] = nil
      }
      sections[section].entries.remove(atOrdered: part.map(\.old.item))
    }
    return departed
  }

  /// Inserts entries, which are in order. Returns the section's former index and the rank of each: the number of
  /// objects that precede it in its section and were not inserted themselves.
  private mutating func putIn(_ arrivals: [Entry], _ changes: inout Changes) -> [(former: Int?, rank: Int)] {
    for entry in arrivals where isSectioned {
      let (index, key) = (section(of: entry.position), entry.position.values[0])
      if index == sections.count || !sections[index].key.isSame(as: key) {
        sections.insert(Section(key: key), at: index)
      }
    }
    let places = arrivals.map { entry in
      let section = section(of: entry.position)
      return (section: section, rank: item(of: entry.position, in: section))
    }
    for (section, part) in Dictionary(grouping: arrivals.indices, by: { places[$0].section }) {
      sections[section].entries.insert(atOrdered: part.map { (places[$0].rank, arrivals[$0]) })
    }
    for entry in arrivals { positions[entry.object] = entry.position }
    let formers = places.map { (sections[$0.section].former, $0.rank) }
    guard isSectioned else { return formers }
    for section in sections where section.entries.isEmpty {
      if let former = section.former { changes.sections.append((former, section, .delete)) }
    }
    sections.removeAll { $0.entries.isEmpty }
    for (index, section) in sections.enumerated() where section.former == nil {
      changes.sections.append((index, section, .insert))
    }
    return formers
  }
}

extension Array {
  fileprivate mutating func remove(atOrdered indices: [Int]) {
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
  fileprivate mutating func insert(atOrdered new: [(index: Int, element: Element)]) {
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

extension Array where Element: Comparable {
  /// Returns the indices of the elements in a longest ascending subsequence. For `[3, 1, 2]`, the result is `[1, 2]`.
  fileprivate func longestIncreasing() -> [Int] {
    // `ends[n]` is the index of the least element that ends an ascending subsequence of n + 1 elements. `before` has
    // the predecessor of each element.
    var ends: [Int] = []
    var before = [Int?](repeating: nil, count: count)
    for index in indices {
      let length = ends.partitioningIndex { self[$0] >= self[index] }
      before[index] = length > 0 ? ends[length - 1] : nil
      if length == ends.count { ends.append(index) } else { ends[length] = index }
    }
    var row: [Int] = []
    var index = ends.last
    while let current = index {
      row.append(current)
      index = before[current]
    }
    return row.reversed()
  }
}
