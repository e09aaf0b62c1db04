import Foundation
import StorageContract

/// A record with a UUID as its key, for JSON files and property lists. The id is the text of the UUID.
struct UUIDRecord: Codable {
  private let id: String
  private let name: String
  private let group: String
  private let score: Double
  private let modified: Double
  private let payload: Data

  init(_ record: Record, _ form: KeyForm) {
    id = form.text(record.id)
    (name, group, score, modified) = (record.name, record.group, record.score, record.modified)
    payload = Data(record.payload)
  }

  func record(_ form: KeyForm) throws -> Record {
    Record(id: try form.key(id), name: name, group: group, score: score, modified: modified, payload: [UInt8](payload))
  }
}
