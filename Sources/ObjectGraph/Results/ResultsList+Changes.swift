import Foundation

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
    struct Object {
      let object: ManagedObject
      let type: FetchedResultsChangeType
      let old: IndexPath?
      let new: IndexPath?
    }

    var deletedSections: [(index: Int, section: Section)] = []
    var insertedSections: [(index: Int, section: Section)] = []
    var objects: [Object] = []
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
    var departures: [Departure] = []
    var arrivals: [Arrival] = []
    var staying: [(object: ManagedObject, old: IndexPath)] = []
    for alteration in alterations {
      let old = positions[alteration.object]
      let indexPath = indexPath(of: alteration.object)
      if let indexPath, old == alteration.position {
        if alteration.isChanged { staying.append((alteration.object, indexPath)) }
        continue
      }
      if let indexPath { departures.append(Departure(object: alteration.object, indexPath: indexPath)) }
      if let position = alteration.position {
        arrivals.append(Arrival(entry: Entry(object: alteration.object, position: position), alteration: alteration))
      }
    }
    departures.sort { $0.indexPath < $1.indexPath }
    arrivals.sort { plan.isOrdered($0.entry.position, $1.entry.position) }

    // `sections` is emptied, so that `slots` alone owns the sections and changes them in place instead of copying.
    var slots = sections.enumerated().map { Slot(former: $0.offset, section: $0.element) }
    sections = []
    takeOut(&departures, from: &slots)
    var changes = Changes()
    putIn(&arrivals, into: &slots, &changes)
    sections = slots.map(\.section)
    changes.objects = objectChanges(departures, arrivals)
    for (object, old) in staying {
      changes.objects.append(.init(object: object, type: .update, old: old, new: indexPath(of: object)))
    }
    return changes
  }

  // MARK: - Steps

  /// A section of the results list while the list is updated, with the entries to insert (`arrivals`).
  private struct Slot {
    /// The index that the section had before the update. Nil if the section is new.
    var former: Int?
    var section: Section
    var arrivals: [(index: Int, element: Entry)] = []
  }

  private struct Departure {
    let object: ManagedObject
    let indexPath: IndexPath
    /// The number of objects that precede the removed object in its section and stay there.
    var rank = 0
  }

  private struct Arrival {
    let entry: Entry
    let alteration: Alteration
    var former: Int?
    /// The number of objects that precede the inserted object in its section and were not inserted themselves.
    var rank = 0
  }

  private mutating func takeOut(_ departures: inout [Departure], from slots: inout [Slot]) {
    var start = 0
    while start < departures.count {
      let section = departures[start].indexPath.section
      let end = departures[start...].firstIndex { $0.indexPath.section != section } ?? departures.count
      for (number, index) in (start..<end).enumerated() {
        departures[index].rank = departures[index].indexPath.item - number
        positions[departures[index].object] = nil
      }
      slots[section].section.entries.remove(atOrdered: departures[start..<end].map(\.indexPath.item))
      start = end
    }
  }

  private mutating func putIn(_ arrivals: inout [Arrival], into slots: inout [Slot], _ changes: inout Changes) {
    func slot(_ arrival: Arrival) -> Int {
      isSectioned ? slots.partitioningIndex { !precedes($0.section.key, arrival.entry.position.values[0]) } : 0
    }
    for arrival in arrivals where isSectioned {
      let (slotIndex, key) = (slot(arrival), arrival.entry.position.values[0])
      if slotIndex == slots.count || !slots[slotIndex].section.key.isSame(as: key) {
        slots.insert(Slot(former: nil, section: Section(key: key)), at: slotIndex)
      }
    }
    for index in arrivals.indices {
      let (slotIndex, entry) = (slot(arrivals[index]), arrivals[index].entry)
      arrivals[index].former = slots[slotIndex].former
      arrivals[index].rank = item(of: entry.position, in: slots[slotIndex].section.entries)
      slots[slotIndex].arrivals.append((arrivals[index].rank, entry))
      positions[entry.object] = entry.position
    }
    for slotIndex in slots.indices {
      slots[slotIndex].section.entries.insert(atOrdered: slots[slotIndex].arrivals)
      slots[slotIndex].arrivals = []
      if isSectioned, slots[slotIndex].section.entries.isEmpty, let former = slots[slotIndex].former {
        changes.deletedSections.append((former, slots[slotIndex].section))
      }
    }
    if isSectioned { slots.removeAll { $0.section.entries.isEmpty } }
    for (slotIndex, slot) in slots.enumerated() where slot.former == nil {
      changes.insertedSections.append((slotIndex, slot.section))
    }
  }

  /// Returns the changes of objects for the delegate. The `departures` were removed from the list, and the `arrivals`
  /// were inserted.
  private func objectChanges(_ departures: [Departure], _ arrivals: [Arrival]) -> [Changes.Object] {
    let arrived = Set(arrivals.map(\.entry.object))
    var changes = departures.filter { !arrived.contains($0.object) }.map {
      Changes.Object(object: $0.object, type: .delete, old: $0.indexPath, new: nil)
    }
    let departed = Dictionary(uniqueKeysWithValues: departures.map { ($0.object, $0) })
    var back: [(arrival: Arrival, old: IndexPath)] = []
    for arrival in arrivals {
      let object = arrival.entry.object
      guard let departure = departed[object] else {
        changes.append(.init(object: object, type: .insert, old: nil, new: indexPath(of: object)))
        continue
      }
      if departure.indexPath.section == arrival.former, departure.rank == arrival.rank {
        back.append((arrival, departure.indexPath))
      } else {
        changes.append(.init(object: object, type: .move, old: departure.indexPath, new: indexPath(of: object)))
      }
    }
    // Returning objects may have changed their order relative to each other. A longest ascending part of them counts as
    // unmoved.
    let unmoved = Set(back.map(\.old).longestIncreasing())
    for (index, (arrival, old)) in back.enumerated() {
      let object = arrival.entry.object
      if !unmoved.contains(index) {
        changes.append(.init(object: object, type: .move, old: old, new: indexPath(of: object)))
      } else if arrival.alteration.isChanged {
        changes.append(.init(object: object, type: .update, old: old, new: indexPath(of: object)))
      }
    }
    return changes
  }
}

extension Array where Element: Comparable {
  /// Returns the indices of the elements in a longest ascending subsequence. For `[3, 1, 2]`, the result is `[1, 2]`.
  func longestIncreasing() -> [Int] {
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
