/// The comparison of a list with an older version, by one pass: the deleted, inserted, moved and updated rows.
extension SectionedList {
  /// Returns the changes of rows and sections that lead from the list `old` to this list.
  public func difference(from old: SectionedList) -> ListDifference {
    var walk = ListWalk()
    var (former, present) = (0, 0)
    while former < old.sections.count || present < sections.count {
      let order =
        former == old.sections.count
        ? 1
        : present == sections.count
          ? -1 : ExactText.compare(old.sections[former].name, sections[present].name)
      if order < 0 { walk.difference.deletedSections.append(former) }
      if order > 0 { walk.difference.insertedSections.append(present) }
      walk.compare(
        order <= 0 ? old.sections[former].rows : [], order <= 0 ? former : nil,
        order >= 0 ? sections[present].rows : [], present)
      if order <= 0 { former += 1 }
      if order >= 0 { present += 1 }
    }
    return walk.end()
  }
}

/// A walk over the rows of an old and a new list, which collects the changes between the two lists.
private struct ListWalk {
  private struct Arrival {
    let record: Record
    let position: ListPosition
    /// The index that this row's section has in the old list. Nil if the section is new.
    let former: Int?
    /// The number of unmoved rows above this row in its new section. Unmoved rows keep their section and name.
    let rank: Int
  }

  var difference = ListDifference()
  /// The position of each row that left its place in the old list, and the number of unmoved rows above it in its old
  /// section. Unmoved rows keep their section and name.
  private var departures: [Int64: (position: ListPosition, rank: Int)] = [:]
  private var arrivals: [Arrival] = []

  /// Compares the rows of a section in the old and the new list. A section of only one list has no rows in the other.
  mutating func compare(_ old: [Record], _ former: Int?, _ new: [Record], _ present: Int) {
    var (from, to, rank) = (0, 0, 0)
    while from < old.count || to < new.count {
      let order = from == old.count ? 1 : to == new.count ? -1 : Self.order(old[from], new[to])
      let oldPosition = ListPosition(section: former ?? 0, item: from)
      let newPosition = ListPosition(section: present, item: to)
      if order == 0 {
        if !old[from].isIdentical(to: new[to]) {
          difference.rows.append(.updated(new[to], from: oldPosition, to: newPosition))
        }
        rank += 1
      } else if order < 0 {
        departures[old[from].id] = (oldPosition, rank)
      } else {
        arrivals.append(Arrival(record: new[to], position: newPosition, former: former, rank: rank))
      }
      if order <= 0 { from += 1 }
      if order >= 0 { to += 1 }
    }
  }

  private static func order(_ first: Record, _ second: Record) -> Int {
    let order = ExactText.compare(first.name, second.name)
    return order != 0 ? order : first.id < second.id ? -1 : first.id > second.id ? 1 : 0
  }

  mutating func end() -> ListDifference {
    var back: [(arrival: Arrival, old: ListPosition)] = []
    for arrival in arrivals {
      guard let departure = departures.removeValue(forKey: arrival.record.id) else {
        difference.rows.append(.inserted(arrival.record, arrival.position))
        continue
      }
      if departure.position.section == arrival.former, departure.rank == arrival.rank {
        back.append((arrival, departure.position))
      } else {
        difference.rows.append(.moved(arrival.record, from: departure.position, to: arrival.position))
      }
    }
    // Rows that return between the same neighbors may have changed their order among each other.
    let unmoved = Set(back.map(\.old).longestIncreasing())
    for (index, row) in back.enumerated() {
      let (record, old, new) = (row.arrival.record, row.old, row.arrival.position)
      difference.rows.append(
        unmoved.contains(index) ? .updated(record, from: old, to: new) : .moved(record, from: old, to: new))
    }
    difference.rows += departures.values.map { .deleted($0.position) }
    return difference
  }
}

extension [ListPosition] {
  /// Returns the indices of a longest ascending subsequence. The numbers `50, 10, 20` would give the indices 1 and 2.
  fileprivate func longestIncreasing() -> [Int] {
    // `ends`: the index of the least last element for each length. `before`: each element's predecessor in its
    // subsequence.
    var ends: [Int] = []
    var before = [Int?](repeating: nil, count: count)
    for index in indices {
      let length = ends.firstIndex { self[$0] >= self[index] } ?? ends.count
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
