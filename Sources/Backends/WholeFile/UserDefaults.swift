import Foundation
import StorageContract

/// The backend `defaults`: UserDefaults with one key for each record, such as `items.7`. By default, each commit calls
/// `synchronize()`.
final class UserDefaultsBackend: StorageBackend {
  static let suite = "storage-bench"

  static let description = BackendDescription(
    id: "defaults", appearance: Appearance(name: FoundationVersion.name("UserDefaults"), mark: 6),
    summary: "UserDefaults of a private suite, synchronize() per save",
    safety: """
      The file is emptied and written in place, so a crash or a full disk during a save loses everything; nothing is \
      saved without synchronize(); apps on Apple's systems do not call it, since the system saves by itself; Foundation \
      takes a damaged file for an empty one and overwrites it; this backend refuses it.
      """,
    options: [value, synchronize, WholeFileOptions.write, WholeFileOptions.every, KeyForm.textOption],
    kind: { $0[synchronize] == "each" ? .wholeFile : .memory },
    opensWith: { $0[synchronize] == "each" ? "plutil; the values are bytes" : nil },
    code: { options, _ in
      let line = "UserDefaults.standard.set(data, forKey: key); UserDefaults.standard.synchronize()"
      return options.isEmpty ? line : nil
    },
    engineVersion: { FoundationVersion.text },
    staysInPlace: "UserDefaults finds its file by the environment of the process, so it cannot open a copy elsewhere",
    deviations: { $0[value] == "archive" ? FoundationFormats.deviations : [] },
    aliases: ["userdefaults", "nsuserdefaults"])

  private static let value = OptionSpec(
    "value", ["record", "archive"],
    help: "a key for each record, or one key for an archive of all, a third longer since the XML file has it in base64")

  private static let synchronize = OptionSpec(
    "synchronize", ["each", "no"],
    help: "call synchronize() after each save, or never; on Linux, nothing is written without it")

  private static var file: String { "\(suite).plist" }

  private let defaults: GuardedDefaults
  private let path: String
  private let prefixes: [String]
  private let form: KeyForm
  /// The number of records in each collection; nil if the records must be counted, which is slow.
  private var counts: [Int?]
  private let archive: ResidentFile?
  /// The writer that delays the calls of `synchronize()`. Nil if these calls are not delayed.
  private let debouncer: Debouncer?

  static func promise(_ durability: Durability, _ options: Options) -> Promise {
    if let delayed = WholeFileOptions.delayedPromise(durability, options) {
      return options[synchronize] == "each" ? delayed : .unavailable("without synchronize() nothing is written")
    }
    return switch (durability, options[synchronize]) {
    case (.shipped, "each"): .level(.fragile)
    case (.shipped, _): .level(.volatile)
    case (_, "each"): .unavailable("UserDefaults empties its file and writes it in place")
    case _: .unavailable("without synchronize() nothing is written")
    }
  }

  init(opening environment: StoreEnvironment) throws {
    try Self.checkHome(environment)
    defaults = try GuardedDefaults(suite: Self.suite, synchronizes: environment.options[Self.synchronize] == "each")
    path = environment.path(Self.file)
    prefixes = environment.collections.map { "\($0)." }
    form = KeyForm(environment.options)
    counts = Array(repeating: nil, count: prefixes.count)
    debouncer = Debouncer(environment)
    try Self.checkFile(environment.path(Self.file), defaults)
    archive =
      environment.options[Self.value] == "archive"
      ? try ResidentFile(
        DefaultsValue(
          defaults: defaults, path: path, codec: KeyedArchiveCodec(form: form, file: Self.file),
          collections: environment.collections), collections: prefixes.count, debouncer: debouncer) : nil
    guard archive == nil else { return }
    debouncer?.write { [defaults, path] in
      let isSaved = defaults.save()
      return { if !isSaved { throw Self.refusal(path) } }
    }
  }

  var settings: String {
    let ending = (archive == nil ? "" : " value=archive") + form.settings
    guard defaults.synchronizes else { return "synchronize=no" + ending }
    let delay = debouncer?.settings ?? ""
    let settings = (archive?.settings ?? Self.settings + delay) + ending
    return delay.isEmpty ? settings : settings.replacing("=per-commit", with: "=per-write")
  }

  static let settings = "atomic=no fsync=yes directory_fsync=no format=xml synchronize=per-commit"

  func commit(_ changes: [Change]) throws {
    if let archive { return try archive.commit(changes) }
    guard !changes.isEmpty else { return }
    // The collections are checked before the first change, because UserDefaults cannot roll back.
    for change in changes { _ = try change.collection.checked(prefixes.count) }
    if let debouncer { return try debouncer.change { apply(changes) } }
    apply(changes)
    guard defaults.save() else {
      let refusal = Self.refusal(path)
      // The changes of the failed save are undone, because the next save would otherwise write them.
      if let saved = Self.saved(path) { set(changes) { saved[$1] as? Data } }
      throw refusal
    }
  }

  private func apply(_ changes: [Change]) {
    set(changes) { change, _ in change.isDelete ? nil : Self.data(change.record) }
  }

  /// Stores the value that the closure returns for each change, or removes the key of the record if the value is nil.
  private func set(_ changes: [Change], _ value: (Change, _ key: String) -> Data?) {
    for change in changes {
      let key = key(change.record.id, change.collection.index)
      defaults.store(value(change, key), forKey: key)
      counts[change.collection.index] = nil
    }
  }

  private func reading<Result>(_ body: () -> Result) -> Result {
    guard let debouncer else { return body() }
    return debouncer.read(body)
  }

  /// Returns the values in a file of UserDefaults, or nil if the file cannot be read. A missing file has no values.
  private static func saved(_ path: String) -> [String: Any]? {
    if access(path, F_OK) != 0, errno == ENOENT { return [:] }
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    return try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
  }

  /// Returns the likely error of a failed save: a full or read-only disk.
  static func refusal(_ path: String) -> StoreError {
    let isReadOnly = access(path, W_OK) != 0 && [EROFS, EACCES].contains(errno)
    let text = "\(file): synchronize() returned false"
    // The usual cause is a full disk.
    return isReadOnly ? .readOnly(text) : .full(text)
  }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    if let archive {
      guard let record = try archive.record(key, in: collection) else { return false }
      try record.withView(body)
      return true
    }
    let name = self.key(key, try collection.checked(prefixes.count))
    guard let data = reading({ defaults.data(forKey: name) }) else { return false }
    try data.withUnsafeBytes { try body(RecordCodec.view($0, key: key)) }
    return true
  }

  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    if let archive { return try archive.scan(keys, in: collection, body) }
    let index = try collection.checked(prefixes.count)
    // A short range is read key by key, because a long range copies all values (200 ms at 10,000 records).
    let width = UInt64(bitPattern: keys.upperBound) &- UInt64(bitPattern: keys.lowerBound)
    if width < 1_000 {
      for key in keys {
        guard let data = reading({ defaults.data(forKey: self.key(key, index)) }) else { continue }
        guard try data.withUnsafeBytes({ try body(RecordCodec.view($0, key: key)) }) else { return }
      }
      return
    }
    let all = values(index)
    counts[index] = all.count
    for (key, data) in all.filter({ keys.contains($0.key) }).sorted(by: { $0.key < $1.key }) {
      guard try data.withUnsafeBytes({ try body(RecordCodec.view($0, key: key)) }) else { return }
    }
  }

  func count(in collection: CollectionID) throws -> Int {
    if let archive { return try archive.count(in: collection) }
    let index = try collection.checked(prefixes.count)
    if let known = counts[index] { return known }
    let count = values(index).count
    counts[index] = count
    return count
  }

  func settle() throws { try debouncer?.flush() }

  func close() throws { try debouncer?.flush() }

  /// Writes records into a new store, as the starting state of a measurement. UserDefaults would take 4 s for 10,000
  /// records, hence a direct write.
  static func writeFixture(_ records: [Record], in environment: StoreEnvironment) throws {
    try checkHome(environment)
    if environment.options[value] == "archive" {
      let store = try Self(opening: environment)
      try store.commit(records.map { .put($0) })
      return try store.close()
    }
    let (prefix, form) = (environment.collections.first.map { "\($0)." } ?? "", KeyForm(environment.options))
    let values = Dictionary(records.map { (prefix + name($0.id, form), data($0)) }) { _, last in last }
    let file = WholeFile(path: environment.path(file), rewriting: .inPlace)
    let content: Data
    do {
      content = try PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0)
    } catch {
      throw StoreError.failed("the records cannot be encoded: \(error.localizedDescription)")
    }
    try file.replace(with: content)
    // UserDefaults sets the same file mode after each write.
    guard chmod(file.path, 0o600) == 0 else { throw StoreError(errno: errno, doing: "chmod of \(Self.file)") }
  }

  // MARK: - Keys and values

  private func key(_ key: Int64, _ collection: Int) -> String { prefixes[collection] + Self.name(key, form) }

  private static func name(_ key: Int64, _ form: KeyForm) -> String { form.isOrdered ? String(key) : form.text(key) }

  // Values are data, because UserDefaults does not preserve every number and date exactly.
  private static func data(_ record: Record) -> Data {
    var data = Data(count: RecordCodec.encodedSize(of: record))
    data.withUnsafeMutableBytes { RecordCodec.encode(record, into: $0) }
    return data
  }

  private func values(_ collection: Int) -> [(key: Int64, data: Data)] {
    let prefix = prefixes[collection]
    // The prefix, key and type are checked, because the dictionary includes global values and other collections.
    return reading { defaults.dictionaryRepresentation() }.compactMap { name, value in
      guard name.hasPrefix(prefix), let data = value as? Data,
        let key = form.isOrdered
          ? Int64(name.dropFirst(prefix.count)) : try? form.key(String(name.dropFirst(prefix.count)))
      else {
        return nil
      }
      return (key, data)
    }
  }

  // MARK: - Checks

  /// Throws an error unless UserDefaults writes to the store's directory. The variable `XDG_CONFIG_HOME` must name the
  /// directory when the process starts.
  private static func checkHome(_ environment: StoreEnvironment) throws {
    let name = "XDG_CONFIG_HOME="
    let started = FileManager.default.contents(atPath: "/proc/self/environ") ?? Data()
    let home = value(of: name, in: started)
    guard let home, home == environment.directory else {
      throw StoreError.failed(
        "UserDefaults would write its files to \(home ?? "the home directory") instead of the store's directory; "
          + "start the process with \(name)\(environment.directory)")
    }
  }

  /// Returns the value of an environment variable in the content of `/proc/self/environ`, or nil. `name` ends with `=`,
  /// as in `HOME=`.
  private static func value(of name: String, in variables: Data) -> String? {
    // A search in place keeps the number of allocations constant. Without a final zero byte, the search would go beyond
    // the data.
    guard variables.last == 0 else { return nil }
    return variables.withUnsafeBytes { bytes in
      name.withCString { name in
        guard let start = bytes.bindMemory(to: CChar.self).baseAddress else { return nil }
        let length = strlen(name)
        var (next, found) = (start, UnsafePointer<CChar>?.none)
        while next < start + bytes.count {
          if strncmp(next, name, length) == 0 { found = next + length }
          next += strlen(next) + 1
        }
        return found.map { String(cString: $0) }
      }
    }
  }

  /// Throws ``StoreError/damaged(_:)`` if the file of UserDefaults cannot be parsed. Foundation would overwrite such a
  /// file.
  private static func checkFile(_ path: String, _ defaults: GuardedDefaults) throws {
    guard let handle = FileHandle(forReadingAtPath: path) else { return }
    defer { try? handle.close() }
    // Parsing is all or nothing, so the file's first key in UserDefaults proves that Foundation has parsed the file.
    let start = (try? handle.read(upToCount: 4_096)) ?? Data()
    let text = String(decoding: start, as: UTF8.self)
    if let open = text.firstRange(of: "<key>"), let close = text[open.upperBound...].firstRange(of: "</key>"),
      defaults.object(forKey: String(text[open.upperBound..<close.lowerBound])) != nil
    {
      return
    }
    // The file may lack a key, its first key may have escapes, or Foundation may have failed to parse the file.
    guard let data = FileManager.default.contents(atPath: path),
      (try? PropertyListSerialization.propertyList(from: data, options: [], format: nil)) is [String: Any]
    else {
      throw StoreError.damaged("\(file) is not a property list with a dictionary")
    }
  }
}
