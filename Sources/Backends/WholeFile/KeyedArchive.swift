import Foundation
import StorageContract

/// The backend `archive`: one file of NSKeyedArchiver, by default with an array of records for each collection. Every
/// commit rewrites the file.
final class KeyedArchiveBackend: ResidentFile, RecordBackend {
  private static let secure = OptionSpec(
    "secure", ["yes", "no"], help: "require secure coding and decode objects by their class, or neither, as older apps")
  private static let root = OptionSpec(
    "root", ["array", "keys"], help: "one array of records for each collection, or a separate key for each record")

  static let description = BackendDescription(
    id: "archive", appearance: Appearance(name: FoundationVersion.name("NSKeyedArchiver"), mark: 5),
    summary: "NSKeyedArchiver, secure coding, custom classes, rewritten whole",
    safety: WholeFileOptions.safety
      + ", and some damaged archives end the process inside Foundation instead of throwing an error.",
    options: WholeFileOptions.all + [secure, root, KeyForm.textOption],
    kind: { _ in .wholeFile },
    opensWith: { _ in "plutil, as a list of numbered objects" },
    code: {
      WholeFileOptions.code(
        "try NSKeyedArchiver.archivedData(withRootObject: records, requiringSecureCoding: true)", $0, $1)
    },
    engineVersion: { FoundationVersion.text },
    deviations: { _ in [WholeFile.shortWrites] + FoundationFormats.deviations },
    aliases: ["nskeyedarchiver", "keyedarchiver", "nscoding"])

  convenience init(opening environment: StoreEnvironment) throws {
    let options = environment.options
    let codec = KeyedArchiveCodec(
      form: KeyForm(options), isSecure: options[Self.secure] == "yes", hasKeys: options[Self.root] == "keys")
    try self.init(codec, environment)
  }
}

/// A record as an object that NSKeyedArchiver can encode. The length of the class's name changes the size of every
/// archive.
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
    let uuid = coder.containsValue(forKey: "uuid") ? Self.object(of: NSString.self, "uuid", coder) as String? : nil
    form = uuid.map(KeyForm.init(ofUUID:)) ?? .integer
    guard uuid != nil || coder.containsValue(forKey: "id"), coder.containsValue(forKey: "score"),
      coder.containsValue(forKey: "modified"),
      let name = Self.object(of: NSString.self, "name", coder),
      let group = Self.object(of: NSString.self, "group", coder),
      let payload = Self.object(of: NSData.self, "payload", coder),
      let id = uuid == nil ? coder.decodeInt64(forKey: "id") : try? uuid.map(form.key)
    else { return nil }
    record = Record(
      id: id, name: name as String, group: group as String,
      score: coder.decodeDouble(forKey: "score"), modified: coder.decodeDouble(forKey: "modified"),
      // Foundation bridges NSData to Data byte by byte, so the bytes are read directly.
      payload: [UInt8](UnsafeRawBufferPointer(start: payload.bytes, count: payload.length)))
  }

  private static func object<Object: NSObject & NSCoding>(
    of type: Object.Type, _ key: String, _ coder: NSCoder
  ) -> Object? {
    coder.requiresSecureCoding
      ? coder.decodeObject(of: type, forKey: key) : coder.decodeObject(forKey: key) as? Object
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
  var isSecure = true
  /// Whether each record has a separate key in the archive, such as `items/7`. If false, each collection is an array
  /// under one key.
  var hasKeys = false

  var settings: String {
    " format=binary secure_coding=\(isSecure ? "yes" : "no")" + (hasKeys ? " root=keys" : "") + form.settings
  }

  // Records are objects, because Foundation on Linux archives an array of dictionaries in quadratic time.
  func encode(_ collections: [(name: String, records: [Record])]) throws -> Data {
    // The property `encodedData` is avoided, because its bridging to Data byte by byte takes a fifth of the time.
    let encoded = NSMutableData()
    let archiver = NSKeyedArchiver(forWritingWith: encoded)
    archiver.requiresSecureCoding = isSecure
    for (name, records) in collections {
      if hasKeys {
        let ids = records.map { id(of: $0) }
        archiver.encode(NSArray(array: ids), forKey: key(name))
        for (record, id) in zip(records, ids) { archiver.encode(RowData(record, form), forKey: key(name, id)) }
      } else {
        archiver.encode(NSArray(array: records.map { RowData($0, form) }), forKey: key(name))
      }
    }
    archiver.finishEncoding()
    if let error = archiver.error { throw error }
    return Data(bytes: encoded.bytes, count: encoded.length)
  }

  func decode(_ data: Data, _ names: [String]) throws -> [[Record]] {
    try ArchivedClasses.check(data, allowing: Self.classes, file: file)
    guard let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: data) else {
      throw StoreError.damaged("\(file) is not an archive")
    }
    // The default policy ends the process on the first error.
    unarchiver.decodingFailurePolicy = .setErrorAndReturn
    unarchiver.requiresSecureCoding = isSecure
    defer { unarchiver.finishDecoding() }
    let lists = try names.map { try list(of: unarchiver, $0) }
    // A file without any of the collections is another kind of archive.
    guard names.contains(where: { unarchiver.containsValue(forKey: key($0)) }) else {
      throw StoreError.damaged("\(file) holds none of the collections that were named at opening")
    }
    return lists
  }

  private func list(of unarchiver: NSKeyedUnarchiver, _ name: String) throws -> [Record] {
    guard unarchiver.containsValue(forKey: key(name)) else { return [] }
    func object(_ classes: [AnyClass], _ key: String) -> Any? {
      let object = isSecure ? unarchiver.decodeObject(of: classes, forKey: key) : unarchiver.decodeObject(forKey: key)
      return unarchiver.error == nil ? object : nil
    }
    func damaged() -> StoreError {
      .damaged("\(file) holds something other than records under '\(key(name))'")
    }
    guard hasKeys else {
      guard let list = object([NSArray.self, RowData.self], key(name)) as? [RowData] else { throw damaged() }
      return list.map(\.record)
    }
    guard let ids = object([NSArray.self, NSString.self], key(name)) as? [NSString] else { throw damaged() }
    return try ids.map { id in
      let row = object([RowData.self], key(name, id)) as? RowData
      guard let record = row?.record, self.id(of: record) == id else { throw damaged() }
      return record
    }
  }

  private func id(of record: Record) -> NSString {
    (form.isOrdered ? String(record.id) : form.text(record.id)) as NSString
  }

  /// Returns the archive key of a record, such as `items/7`. With an empty `id`, returns the archive key of the
  /// collection.
  private func key(_ name: String, _ id: NSString = "") -> String { hasKeys ? "\(name)/\(id)" : name }
}
