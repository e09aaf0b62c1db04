import CStorageLMDB
import Foundation
import StorageContract

/// The backend `keychain`: each record is a secret in a private gnome-keyring. A commit of several changes first saves
/// the old content, to undo a failure.
final class KeychainBackend: StorageBackend {
  static let description = BackendDescription(
    id: "keychain", appearance: Appearance(name: "Keychain", mark: 11),
    summary: "items of the Secret Service, through libsecret, in a private gnome-keyring",
    safety: """
      Each change rewrites the whole encrypted keyring, and a power cut can undo the last ones, since the rename of its \
      file is not synced; every program of the same user can read an open keychain, and there is no equivalent of Apple's \
      accessibility classes.
      """,
    kind: { _ in .wholeFile },
    witness: { _ in .daemon },
    engineVersion: { version },
    missing: { missing },
    refusesOthers: "the private keyring of a trial belongs to the process that started it",
    staysInPlace: "a daemon has the keyring's files, so the app cannot copy them",
    deviations: { _ in
      [
        Deviation(
          .memory,
          "Each read leaks about 1 KB and the bytes of the secrets, since libsecret does not free the service's answer "
            + "(seen with 0.20.5, in secret_service_lookup_sync as well).")
      ]
    },
    isDefault: false, isDeterministic: false,
    // Each change rewrites all records.
    mostRecords: 100)

  private static let version: String = {
    let process = try? SpawnedProcess(["/bin/sh", "-c", "gnome-keyring-daemon --version 2> /dev/null"])
    defer { process?.wait() }
    let output = (try? process?.readAll().output) ?? Data()
    guard let line = output.split(separator: UInt8(ascii: "\n")).first else { return "gnome-keyring" }
    let text = String(decoding: line, as: UTF8.self)
    let number = text.drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespacesAndNewlines)
    return "gnome-keyring \(number)"
  }()

  private static let missing: String? = {
    let packages =
      (SecretLibrary.shared == nil ? ["libsecret-1-0"] : [])
      + KeyringSession.programs.filter { !KeyringSession.hasProgram($0.name) }.map(\.package)
    return packages.isEmpty ? nil : "install \(packages.joined(separator: " "))"
  }()

  static func promise(_ durability: Durability, _ options: Options) -> Promise {
    durability == .durable
      ? .unavailable("gnome-keyring renames its file and does not sync the directory") : .level(.intact)
  }

  // A secret begins with the record's key in 8 bytes, so that one call can read all records of a collection.
  private static let prefix = 8
  private static let undo = (service: "storage-bench-undo", account: "commit")

  private let keychain: Keychain
  private let services: [String]
  /// Whether the last commit failed or was interrupted, and is not undone yet.
  private var isHalfDone: Bool

  init(opening environment: StoreEnvironment) throws {
    services = environment.collections.map { "storage-bench.\($0)" }
    try Self.checkFile(environment)
    keychain = try Keychain(in: environment.directory)
    isHalfDone = keychain.wasInterrupted
    try repair()
  }

  var settings: String { "transport=\(keychain.transport) fsync=yes directory_fsync=no" }

  func close() throws { keychain.close(isClean: !isHalfDone) }

  /// Throws ``StoreError/damaged(_:)`` if the store's file is not a keyring, because gnome-keyring would overwrite the
  /// file.
  private static func checkFile(_ environment: StoreEnvironment) throws {
    guard let file = FileHandle(forReadingAtPath: Keychain.path(in: environment.directory)) else { return }
    defer { try? file.close() }
    let magic = Data("GnomeKeyring\n\r\0\n".utf8)
    guard let start = try? file.read(upToCount: magic.count), start == magic else {
      throw StoreError.damaged("keyrings/login.keyring is not a keyring")
    }
  }

  // MARK: - Reading

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    let service = services[try collection.checked(services.count)]
    try repair()
    guard let path = try keychain.path(service, "\(key)") else { return false }
    return try keychain.withSecret(at: path) { bytes in
      guard !bytes.isEmpty else { return false }
      try body(Self.view(bytes))
      return true
    }
  }

  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    let service = services[try collection.checked(services.count)]
    try repair()
    // Up to eight keys are searched one by one. For more keys, all items of the collection are read.
    let few = UInt64(bitPattern: keys.upperBound) &- UInt64(bitPattern: keys.lowerBound) < 8
    let paths = try few ? keys.compactMap { try keychain.path(service, "\($0)") } : keychain.paths(service)
    try keychain.withSecrets(at: paths) { secrets in
      let views = try secrets.filter { !$0.isEmpty }.map(Self.view).filter { keys.contains($0.id) }
      for view in views.sorted(by: { $0.id < $1.id }) { guard try body(view) else { return } }
    }
  }

  func count(in collection: CollectionID) throws -> Int {
    let service = services[try collection.checked(services.count)]
    try repair()
    return try keychain.paths(service).count
  }

  private static func view(_ bytes: UnsafeRawBufferPointer) throws -> RecordView {
    guard bytes.count > prefix else { throw StoreError.damaged("an item of \(bytes.count) bytes is not a record") }
    let key = Int64(littleEndian: bytes.loadUnaligned(as: Int64.self))
    return try RecordCodec.view(UnsafeRawBufferPointer(rebasing: bytes[prefix...]), key: key)
  }

  // MARK: - Writing

  func commit(_ changes: [Change]) throws {
    for change in changes { _ = try change.collection.checked(services.count) }
    try repair()
    var last: [RecordPlace: Change] = [:]
    for change in changes { last[RecordPlace(change)] = change }
    let ordered = last.values.sorted { ($0.collection.index, $0.record.id) < ($1.collection.index, $1.record.id) }
    if ordered.count > 1 {
      try checkRoom(ordered)
      let replaced = try ordered.reduce(into: Data()) { try note(RecordPlace($1), in: &$0) }
      try keychain.set(replaced, Self.undo.service, Self.undo.account)
    }
    do {
      for change in ordered { try apply(change) }
      if ordered.count > 1 { try keychain.delete(Self.undo.service, Self.undo.account) }
    } catch {
      isHalfDone = true
      // If restoring the old content fails now, the next operation tries again.
      try? repair()
      throw error
    }
  }

  static func writeFixture(_ records: [Record], in environment: StoreEnvironment) throws {
    let store = try Self(opening: environment)
    for record in records { try store.apply(.put(record)) }
    try store.close()
  }

  /// Throws ``StoreError/full(_:)`` if the disk lacks the space to commit the changes and to undo the commit.
  private func checkRoom(_ changes: [Change]) throws {
    var (disk, file) = (statvfs(), stat())
    let directory = keychain.directory
    guard statvfs(directory, &disk) == 0, stat(Keychain.path(in: directory), &file) == 0 else { return }
    let itemSize = 1_000
    let added = changes.reduce(1 << 16) { $0 + itemSize + ($1.isDelete ? 0 : RecordCodec.encodedSize(of: $1.record)) }
    let room = Int(disk.f_bavail) * Int(disk.f_frsize)
    guard room >= Int(file.st_size) + 2 * added else {
      throw StoreError.full(
        "\(changes.count) changes to the keychain need \(Int(file.st_size) + 2 * added) bytes, "
          + "but only \(room) are left")
    }
  }

  private func apply(_ change: Change) throws {
    let (service, key) = (services[change.collection.index], change.record.id)
    guard !change.isDelete else {
      if let path = try keychain.path(service, "\(key)") { try keychain.delete(at: path) }
      return
    }
    var secret = [UInt8](repeating: 0, count: Self.prefix + RecordCodec.encodedSize(of: change.record))
    secret.withUnsafeMutableBytes { bytes in
      bytes.storeBytes(of: key.littleEndian, as: Int64.self)
      RecordCodec.encode(change.record, into: UnsafeMutableRawBufferPointer(rebasing: bytes[Self.prefix...]))
    }
    try keychain.set(secret, service, "\(key)")
  }

  // MARK: - Undoing commits

  /// Appends a record's service, account and secret to the undo data `note`, each after its 4-byte length. A missing
  /// record has an empty secret.
  private func note(_ target: RecordPlace, in note: inout Data) throws {
    let (service, account) = (services[target.collection.index], "\(target.key)")
    func append(_ bytes: some Collection<UInt8>) {
      withUnsafeBytes(of: UInt32(bytes.count).littleEndian) { note.append(contentsOf: $0) }
      note.append(contentsOf: bytes)
    }
    append(service.utf8)
    append(account.utf8)
    if let path = try keychain.path(service, account) {
      try keychain.withSecret(at: path) { append($0) }
    } else {
      append([])
    }
  }

  /// If an earlier commit failed halfway, restores the old records and deletes all empty secrets.
  private func repair() throws {
    guard isHalfDone else { return }
    if let path = try keychain.path(Self.undo.service, Self.undo.account) {
      try keychain.withSecret(at: path) { note in
        var rest = note[...]
        func next() throws -> UnsafeRawBufferPointer {
          guard rest.count >= 4 else { throw StoreError.damaged("the keychain's undo item is cut short") }
          let count = Int(UInt32(littleEndian: UnsafeRawBufferPointer(rebasing: rest).loadUnaligned(as: UInt32.self)))
          rest = rest.dropFirst(4)
          guard rest.count >= count else { throw StoreError.damaged("the keychain's undo item is cut short") }
          defer { rest = rest.dropFirst(count) }
          return UnsafeRawBufferPointer(rebasing: rest.prefix(count))
        }
        while !rest.isEmpty {
          let (service, account) = (
            String(decoding: try next(), as: UTF8.self), String(decoding: try next(), as: UTF8.self)
          )
          let secret = try next()
          if !secret.isEmpty {
            try keychain.set(secret, service, account)
          } else if let path = try keychain.path(service, account) {
            try keychain.delete(at: path)
          }
        }
      }
      try keychain.delete(at: path)
    }
    let paths = try keychain.paths(nil)
    let torn = try keychain.withSecrets(at: paths) { secrets in zip(paths, secrets).filter { $1.isEmpty }.map(\.0) }
    for path in torn { try keychain.delete(at: path) }
    isHalfDone = false
  }
}
