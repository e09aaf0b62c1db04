import Foundation
import StorageContract

/// The answers of a store to a series of calls, as lines of text for the comparison with a model in memory.
struct Transcript {
  private(set) var lines: [String] = []

  mutating func note(_ line: String) { lines.append(line) }

  mutating func note(_ what: String, _ records: [Record]) {
    note("\(what): \(records.map(Self.text).joined(separator: " "))")
  }

  /// Runs `body`, and adds a line: `what`, then the answer or the error. The line does not contain the text of a
  /// `StoreError`, because engines use different texts.
  mutating func note(_ what: String, _ body: () throws -> String) {
    do {
      note("\(what): \(try body())")
    } catch is StoreError {
      note("\(what): a StoreError")
    } catch {
      note("\(what): \(error)")
    }
  }

  /// Returns the fields of a record as text, with the payload in Base64. The number -0 is written as 0.
  static func text(_ record: Record) -> String {
    let (score, modified) = (record.score == 0 ? 0 : record.score, record.modified == 0 ? 0 : record.modified)
    let payload = Data(record.payload).base64EncodedString()
    return "\(record.id)|\(record.name)|\(record.group)|\(score)|\(modified)|\(payload)"
  }
}
