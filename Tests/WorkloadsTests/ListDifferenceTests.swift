import StorageContract
import Testing

@testable import StorageWorkloads

/// Compares the difference that is found in one walk through two lists with a plain computation.
@Suite struct ListDifferenceTests {
  private func rows(_ records: [Record]) -> [[Record]] { ListModel(records, .everything).sections }

  private func list(_ records: [Record]) -> SectionedList { SectionedList(rows(records).flatMap { $0 }) }

  private func record(_ id: Int64, _ group: String, _ name: String, _ payload: UInt8 = 0) -> Record {
    Record(id: id, name: name, group: group, score: 0, modified: 0, payload: [payload])
  }

  /// Returns records with few keys, names and groups, so that all combinations occur.
  private func records(_ random: inout RandomStream) -> [Record] {
    let groups = ["", "a", "é", "e\u{301}", "東", "b\0"]
    let names = ["", "n", "n\0", "ñ", "n\u{303}", "🌿", "N"]
    return (0..<random.below(14) as Range<Int>).filter { _ in random.below(3) > 0 }.map { key in
      record(Int64(key), groups[random.below(groups.count)], names[random.below(names.count)], UInt8(random.below(2)))
    }
  }

  @Test(arguments: 0..<10) func theWalkFindsWhatThePlainWayFinds(seed: Int) throws {
    var random = RandomStream(seed: UInt64(seed))
    var old = records(&random)
    for _ in 0..<200 {
      let new = random.below(12) == 0 ? old : records(&random)
      let difference = list(new).difference(from: list(old))
      let plain = PlainDifference(from: rows(old), to: rows(new))
      #expect(plain.fault(of: difference) == nil)
      var mirror = ListMirror(list(old))
      let idle = try mirror.follow([difference], to: rows(new), plain)
      #expect(mirror.shows(rows(new)))
      #expect(idle == (difference.isEmpty ? 1 : 0))
      old = new
    }
  }

  @Test func rowsThatMakeRoomAreNotMentioned() {
    let old = [record(1, "a", "a"), record(2, "a", "c"), record(3, "b", "x")]
    func difference(_ new: [Record]) -> [String] {
      list(new).difference(from: list(old)).rows.map { change in
        func text(_ position: ListPosition) -> String { "\(position.section).\(position.item)" }
        return switch change {
        case .deleted(let position): "\(text(position)) goes"
        case .inserted(let record, let position): "\(record.id) comes to \(text(position))"
        case .moved(let record, let from, let to): "\(record.id) moves from \(text(from)) to \(text(to))"
        case .updated(let record, let from, let to): "\(record.id) changes from \(text(from)) to \(text(to))"
        }
      }
    }
    #expect(difference(old) == [])
    #expect(difference(old + [record(9, "a", "b")]) == ["9 comes to 0.1"])
    #expect(difference(Array(old.dropFirst())) == ["0.0 goes"])
    // The renamed row keeps its position among its neighbours.
    #expect(difference([record(1, "a", "b"), old[1], old[2]]) == ["1 changes from 0.0 to 0.0"])
    #expect(difference([record(1, "a", "d"), old[1], old[2]]) == ["1 moves from 0.0 to 0.1"])
    #expect(difference([record(1, "b", "a"), old[1], old[2]]) == ["1 moves from 0.0 to 1.0"])
  }

  @Test func wrongDifferencesAreNamed() throws {
    let old = [record(1, "a", "a"), record(2, "a", "c"), record(3, "b", "x"), record(4, "b", "y")]
    let new = [record(1, "a", "d"), record(2, "a", "c", 7), record(4, "b", "y"), record(5, "c", "z")]
    let plain = PlainDifference(from: rows(old), to: rows(new))
    let right = list(new).difference(from: list(old))
    func complaint(_ spoil: (inout ListDifference) -> Void) -> String? {
      var difference = right
      spoil(&difference)
      var mirror = ListMirror(list(old))
      do {
        _ = try mirror.follow([difference], to: rows(new), plain)
        return nil
      } catch { return "\(error)" }
    }
    #expect(complaint { _ in } == nil)
    #expect(complaint { $0 = ListDifference() } == "a list was not notified of a change")
    for index in right.rows.indices { #expect(complaint { $0.rows.remove(at: index) } != nil) }
    #expect(complaint { $0.insertedSections = [] }?.contains("a position that it does not have") == true)
    #expect(complaint { $0.insertedSections.append(0) } != nil)
    #expect(complaint { $0.deletedSections = [1] } != nil)
    #expect(complaint { $0.rows.append($0.rows[0]) } != nil)
    // A row that did not move is reported as moved.
    let still = ListPosition(section: 1, item: 1)
    #expect(
      complaint { $0.rows.append(.moved(old[3], from: still, to: ListPosition(section: 1, item: 0))) }
        == "record 4 was reported to a list as changed, but was not")
    // Reported as an update, the same row is accepted.
    #expect(complaint { $0.rows.append(.updated(old[3], from: still, to: ListPosition(section: 1, item: 0))) } == nil)
    // Deleting and inserting all rows leads to the new list as well, but is not the difference.
    #expect(
      complaint { difference in
        difference = ListDifference()
        difference.deletedSections = [0, 1]
        difference.insertedSections = [0, 1, 2]
        for (section, rows) in rows(old).enumerated() {
          for item in rows.indices { difference.rows.append(.deleted(ListPosition(section: section, item: item))) }
        }
        for (section, rows) in rows(new).enumerated() {
          for (item, row) in rows.enumerated() {
            difference.rows.append(.inserted(row, ListPosition(section: section, item: item)))
          }
        }
      } == "a list was notified of different sections from those that were added and removed")
  }
}
