import StorageContract

/// The answers of a store to a script of calls, line by line. Two implementations of a capability must give the same
/// lines.
struct Transcript {
  private(set) var lines: [String]

  init(lines: [String] = []) { self.lines = lines }

  mutating func note(_ line: String) { lines.append(line) }

  mutating func note(_ what: String, _ records: [Record]) {
    note("\(what): \(records.map(Self.text).joined(separator: " "))")
  }

  /// Notes the answer of the body, or its error. The text of a `StoreError` is left out, because engines differ in it.
  mutating func note(_ what: String, _ body: () throws -> String) {
    do {
      note("\(what): \(try body())")
    } catch let error as RelationError {
      note("\(what): \(error)")
    } catch is StoreError {
      note("\(what): a StoreError")
    } catch {
      note("\(what): \(error)")
    }
  }

  static func text(_ record: Record) -> String {
    "\(record.id)|\(record.name)|\(record.group)|\(record.score == 0 ? 0 : record.score)|\(record.payload.count)"
  }
}
