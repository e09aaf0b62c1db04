import Foundation
import StorageContract

/// The backend `plist`: one property list with an array of records for each collection. Every commit rewrites the file.
final class PropertyListBackend: ResidentFile, RecordBackend {
  private static let format = OptionSpec("format", ["binary", "xml"], help: "the format of the file")
  private static let coder = OptionSpec(
    "coder", ["codable", "serialization"],
    help: "PropertyListEncoder and -Decoder, or PropertyListSerialization of dictionaries")

  static let description = BackendDescription(
    id: "plist", appearance: Appearance(name: FoundationVersion.name("Property list"), mark: 4),
    summary: "one property list file, rewritten whole",
    safety: WholeFileOptions.safety
      + ": a flipped bit inside a value is read as valid; with coder=serialization, a damaged binary file can end the "
      + "process inside Foundation.",
    options: [format, coder] + WholeFileOptions.all + [KeyForm.textOption],
    kind: { _ in .wholeFile },
    opensWith: { _ in "plutil" },
    code: { WholeFileOptions.code("try PropertyListEncoder().encode(records)", $0, $1) },
    engineVersion: { FoundationVersion.text },
    deviations: { options in
      let minusZero = Deviation(
        .minusZero, "The number -0 comes back as 0, since Foundation writes it into XML without its sign.")
      let isXML = options[format] == "xml"
      return [WholeFile.shortWrites] + (isXML ? [] : FoundationFormats.deviations)
        + (isXML && options[coder] == "serialization" ? [minusZero] : [])
    }, aliases: ["property-list", "propertylistencoder"])

  convenience init(opening environment: StoreEnvironment) throws {
    let options = environment.options
    let codec = PropertyListCodec(
      format: options[Self.format] == "xml" ? .xml : .binary, isCodable: options[Self.coder] == "codable",
      form: KeyForm(options))
    try self.init(codec, environment)
  }
}

/// The codec of a property list file. Times are numbers, because the XML format cuts dates to whole seconds.
struct PropertyListCodec: WholeFileCodec {
  let format: PropertyListSerialization.PropertyListFormat
  let isCodable: Bool
  var form = KeyForm.integer
  var file = "store.plist"

  var settings: String {
    " format=\(format == .xml ? "xml" : "binary") coder=\(isCodable ? "codable" : "serialization")" + form.settings
  }

  func encode(_ collections: [(name: String, records: [Record])]) throws -> Data {
    if isCodable {
      let encoder = PropertyListEncoder()
      encoder.outputFormat = format
      return try form.isOrdered
        ? encoder.encode(Dictionary(collections.map { ($0.name, $0.records) }) { first, _ in first })
        : encoder.encode(
          Dictionary(collections.map { ($0.name, $0.records.map { UUIDRecord($0, form) }) }) { first, _ in first })
    }
    let root = Dictionary(collections.map { ($0.name, $0.records.map(dictionary)) }) { first, _ in first }
    return try PropertyListSerialization.data(fromPropertyList: root, format: format, options: 0)
  }

  func decode(_ data: Data, _ names: [String]) throws -> [[Record]] {
    let root = isCodable ? try decodeCodable(data) : try decodeSerialized(data)
    return try lists(root, names)
  }

  private func decodeCodable(_ data: Data) throws -> [String: [Record]] {
    let decoder = PropertyListDecoder()
    let root =
      try? form.isOrdered
      ? decoder.decode([String: [Record]].self, from: data)
      : decoder.decode([String: [UUIDRecord]].self, from: data).mapValues { try $0.map { try $0.record(form) } }
    guard let root else {
      throw StoreError.damaged(
        "\(file) is not a property list of records, or was made with another ids=; if so, give that")
    }
    return root
  }

  private func decodeSerialized(_ data: Data) throws -> [String: [Record]] {
    guard let root = try? PropertyListSerialization.propertyList(from: data, options: [], format: nil) else {
      throw StoreError.damaged("\(file) is not a property list")
    }
    // A binary file truncated after 8 bytes parses as the text "bplist00".
    guard let collections = root as? [String: [[String: Any]]] else {
      throw StoreError.damaged("\(file) is not a property list of records")
    }
    return try collections.mapValues { try $0.map(record) }
  }

  private func dictionary(_ record: Record) -> [String: Any] {
    [
      "id": form.isOrdered ? record.id : form.text(record.id), "name": value(record.name), "group": value(record.group),
      "score": record.score,
      "modified": record.modified, "payload": Data(record.payload),
    ]
  }

  /// Returns the property list value for a text. In XML, a text that starts with a byte order mark becomes Data,
  /// because Foundation would remove the mark.
  private func value(_ text: String) -> Any {
    format == .xml && text.utf8.starts(with: "\u{feff}".utf8) ? Data(text.utf8) : text
  }

  private func text(_ value: Any?) -> String? {
    value as? String ?? (value as? Data).map { String(decoding: $0, as: UTF8.self) }
  }

  private func record(_ values: [String: Any]) throws -> Record {
    // Numbers are decoded as NSNumber, whether they were written as Int64 or Int.
    guard let id = form.isOrdered ? (values["id"] as? NSNumber)?.int64Value : try text(values["id"]).map(form.key),
      let name = text(values["name"]),
      let group = text(values["group"]), let score = values["score"] as? NSNumber,
      let modified = values["modified"] as? NSNumber, let payload = values["payload"] as? Data
    else {
      throw StoreError.damaged(
        "\(file) holds a record with a field that is missing or of another type; "
          + "if the file was made with another ids=, give that")
    }
    return Record(
      id: id, name: name, group: group, score: score.doubleValue, modified: modified.doubleValue,
      payload: [UInt8](payload))
  }
}
