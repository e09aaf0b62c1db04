import Foundation
import StorageContract

/// The backend `archive`: NSKeyedArchiver with secure coding, one object of a custom class per record, rewritten whole.
///
/// Each collection is an array under its name. Records are objects and not dictionaries: in Foundation on Linux,
/// archiving an array of dictionaries takes quadratic time.
final class KeyedArchiveBackend: WholeFileBackend {
  static let description = BackendDescription(
    id: "archive", appearance: Appearance(name: FoundationVersion.name("NSKeyedArchiver"), mark: 5),
    summary: "NSKeyedArchiver, secure coding, custom classes, rewritten whole",
    safety: """
      Every save writes every record of a file; at shipped, a power cut can undo the last saves, but leaves a whole file, or \
      with split=16 some files of later saves than others; there is no checksum, and some damaged archives end the \
      process inside Foundation instead of throwing an error.
      """,
    options: [WholeFileOptions.atomic, WholeFileOptions.resident, WholeFileOptions.split, KeyForm.textOption],
    kind: { _ in .wholeFile },
    opensWith: { _ in "plutil, as a list of numbered objects" },
    code: {
      WholeFileOptions.code(
        "try NSKeyedArchiver.archivedData(withRootObject: records, requiringSecureCoding: true)", $0, $1)
    },
    engineVersion: { FoundationVersion.text },
    deviations: { _ in [WholeFile.shortWrites] + FoundationFormats.deviations },
    aliases: ["nskeyedarchiver", "keyedarchiver", "nscoding"])

  let store: ResidentFile
  private let codec: KeyedArchiveCodec

  init(opening environment: StoreEnvironment) throws {
    codec = KeyedArchiveCodec(form: KeyForm(environment.options))
    store = try ResidentFile(codec, environment)
  }

  var settings: String { "\(store.settings) format=binary secure_coding=yes" + codec.form.settings }
}

/// A record as an object for the archiver.
///
/// The file names the class with its module, `StorageBackends.RowData`, because setClassName(_:for:) has no effect on
/// Linux. Each additional byte in the name makes every archive two bytes longer (see costs.csv).
final class RowData: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }

  let record: Record
  private let form: KeyForm

  init(_ record: Record, _ form: KeyForm = .integer) {
    self.record = record
    self.form = form
  }

  init?(coder: NSCoder) {
    // A missing number would be decoded as 0, so the presence of each key is checked.
    let uuid =
      coder.containsValue(forKey: "uuid") ? coder.decodeObject(of: NSString.self, forKey: "uuid") as String? : nil
    form = uuid.map(KeyForm.init(ofUUID:)) ?? .integer
    guard uuid != nil || coder.containsValue(forKey: "id"), coder.containsValue(forKey: "score"),
      coder.containsValue(forKey: "modified"),
      let name = coder.decodeObject(of: NSString.self, forKey: "name"),
      let group = coder.decodeObject(of: NSString.self, forKey: "group"),
      let payload = coder.decodeObject(of: NSData.self, forKey: "payload"),
      let id = uuid == nil ? coder.decodeInt64(forKey: "id") : try? uuid.map(form.key)
    else { return nil }
    record = Record(
      id: id, name: name as String, group: group as String,
      score: coder.decodeDouble(forKey: "score"), modified: coder.decodeDouble(forKey: "modified"),
      // Foundation bridges NSData to Data byte by byte, so the bytes are read directly.
      payload: [UInt8](UnsafeRawBufferPointer(start: payload.bytes, count: payload.length)))
  }

  func encode(with coder: NSCoder) {
    if form.isOrdered {
      coder.encode(record.id, forKey: "id")
    } else {
      coder.encode(form.text(record.id) as NSString, forKey: "uuid")
    }
    coder.encode(record.name as NSString, forKey: "name")
    coder.encode(record.group as NSString, forKey: "group")
    coder.encode(record.score, forKey: "score")
    coder.encode(record.modified, forKey: "modified")
    coder.encode(record.payload.withUnsafeBytes { NSData(bytes: $0.baseAddress, length: $0.count) }, forKey: "payload")
  }
}

struct KeyedArchiveCodec: WholeFileCodec {
  private static let classes: Set = [NSStringFromClass(NSArray.self), NSStringFromClass(RowData.self)]

  var form = KeyForm.integer
  var file = "store.archive"

  func encode(_ collections: [(name: String, records: [Record])]) throws -> Data {
    // The property `encodedData` is avoided, because it is bridged to Data byte by byte, which takes a fifth of the
    // time.
    let encoded = NSMutableData()
    let archiver = NSKeyedArchiver(forWritingWith: encoded)
    archiver.requiresSecureCoding = true
    for (name, records) in collections {
      archiver.encode(NSArray(array: records.map { RowData($0, form) }), forKey: name)
    }
    archiver.finishEncoding()
    if let error = archiver.error { throw error }
    return Data(bytes: encoded.bytes, count: encoded.length)
  }

  func decode(_ data: Data, _ names: [String]) throws -> [[Record]] {
    try ArchivedClasses.check(data, allowing: Self.classes, file: file)
    let unarchiver: NSKeyedUnarchiver
    do {
      unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
    } catch {
      throw StoreError.damaged("\(file) is not an archive")
    }
    // The default policy ends the process on the first error.
    unarchiver.decodingFailurePolicy = .setErrorAndReturn
    unarchiver.requiresSecureCoding = true
    defer { unarchiver.finishDecoding() }
    let lists = try names.map { try list(of: unarchiver, $0) }
    // A file without any of the collections is another kind of archive.
    guard names.contains(where: unarchiver.containsValue) else {
      throw StoreError.damaged("\(file) holds none of the collections")
    }
    return lists
  }

  private func list(of unarchiver: NSKeyedUnarchiver, _ name: String) throws -> [Record] {
    guard unarchiver.containsValue(forKey: name) else { return [] }
    let object = unarchiver.decodeObject(of: [NSArray.self, RowData.self], forKey: name)
    guard unarchiver.error == nil, let list = object as? [RowData] else {
      throw StoreError.damaged("\(file) holds something else than records under '\(name)'")
    }
    return list.map(\.record)
  }
}
