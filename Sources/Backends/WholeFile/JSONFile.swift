import Foundation
import StorageContract

/// The backend `json`: one JSON file with an array of `Codable` records for each collection. Every commit rewrites the
/// file.
final class JSONFileBackend: ResidentFile, RecordBackend {
  static let description = BackendDescription(
    id: "json", appearance: Appearance(name: "JSON file", mark: 9),
    summary: "one JSON file of Codable records, rewritten whole",
    safety: WholeFileOptions.safety + ": a flipped bit inside a value is read as valid.",
    options: WholeFileOptions.all + [KeyForm.textOption],
    kind: { _ in .wholeFile },
    opensWith: { _ in "jq" },
    code: { WholeFileOptions.code("try JSONEncoder().encode(records)", $0, $1) },
    engineVersion: { FoundationVersion.text },
    deviations: { _ in [WholeFile.shortWrites] },
    isDefault: false)

  convenience init(opening environment: StoreEnvironment) throws {
    try self.init(JSONFileCodec(form: KeyForm(environment.options)), environment)
  }
}

struct JSONFileCodec: WholeFileCodec {
  var form = KeyForm.integer
  var file = "store.json"
  private static let (nan, infinity, minusInfinity) = ("nan", "inf", "-inf")

  var settings: String { " data=base64 dates=numbers non_finite=texts" + form.settings }

  func encode(_ collections: [(name: String, records: [Record])]) throws -> Data {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: Self.infinity, negativeInfinity: Self.minusInfinity, nan: Self.nan)
    return try form.isOrdered
      ? encoder.encode(Dictionary(collections.map { ($0.name, $0.records) }) { first, _ in first })
      : encoder.encode(
        Dictionary(collections.map { ($0.name, $0.records.map { UUIDRecord($0, form) }) }) { first, _ in first })
  }

  func decode(_ data: Data, _ names: [String]) throws -> [[Record]] {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: Self.infinity, negativeInfinity: Self.minusInfinity, nan: Self.nan)
    let root =
      try? form.isOrdered
      ? decoder.decode([String: [Record]].self, from: data)
      : decoder.decode([String: [UUIDRecord]].self, from: data).mapValues { try $0.map { try $0.record(form) } }
    guard let root else {
      throw StoreError.damaged(
        "\(file) is not a JSON object of records, or was made with another ids=; if so, give that")
    }
    return try lists(root, names)
  }
}
