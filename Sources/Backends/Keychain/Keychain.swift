import CStorageLMDB
import Foundation
import StorageContract

/// A store of secrets in a private GNOME keyring, used through libsecret. A service name and an account name together
/// identify a secret.
final class Keychain {
  let library: SecretLibrary
  private let session: KeyringSession
  let service: SecretLibrary.Handle
  /// The GLib main context (an event loop) that receives messages from the keyring daemon.
  private let context: SecretLibrary.Handle
  private let schema: SecretLibrary.Handle
  let directory: String
  private var isOpen = true

  /// Whether the last use of the keychain ended without a close, for example by a crash.
  var wasInterrupted: Bool { session.wasInterrupted }
  /// The algorithm that encrypts secrets on the way to the keyring daemon: `plain` without encryption, or `unknown`.
  var transport: String {
    library.secret_service_get_session_algorithms(service).map { String(cString: $0) } ?? "unknown"
  }

  private static let collection = "default"
  // libsecret finds the message bus only by this environment variable, so only one keychain can be open at a time.
  private static let busVariable = "DBUS_SESSION_BUS_ADDRESS"
  private static nonisolated(unsafe) let itemSchema = SecretLibrary.shared?.schema(
    "storage-bench.Item", ["service", "account"])
  /// The GLib main context (an event loop) for the D-Bus messages of all keychains that this process opens.
  private static nonisolated(unsafe) let signals = SecretLibrary.shared?.g_main_context_new()

  /// Opens the keychain in a directory, or creates an empty one. A process can have only one open keychain.
  ///
  /// - Throws: ``StoreError/locked(_:)`` for a wrong password or an unreadable keyring; ``StoreError/failed(_:)``
  ///   without libsecret or a responding daemon, unless the disk is full or read-only; ``StoreError/busy(_:)`` if
  ///   another keychain stays open in this process for 10 s, or another process uses the directory.
  init(in directory: String, password: String = "storage-bench") throws {
    guard let library = SecretLibrary.shared, let schema = Self.itemSchema, let context = Self.signals else {
      throw Self.failure("libsecret is missing; install libsecret-1-0", in: directory)
    }
    session = try KeyringSession(in: directory, password: password)
    let before = getenv(Self.busVariable).map { String(cString: $0) }
    setenv(Self.busVariable, session.address, 1)
    defer {
      if let before { setenv(Self.busVariable, before, 1) } else { unsetenv(Self.busVariable) }
    }
    (self.library, self.schema, self.context, self.directory) = (library, schema, context, directory)
    library.g_main_context_push_thread_default(context)
    defer { library.g_main_context_pop_thread_default(context) }
    // After an error, the session and the keychain are closed when they are deinitialized.
    service = try Self.reach(library, context, directory)
    try checkOpen()
  }

  deinit { close(isClean: false) }

  /// Waits up to 10 s until the keyring daemon responds. Returns libsecret's object for the daemon's Secret Service.
  private static func reach(
    _ library: SecretLibrary, _ context: SecretLibrary.Handle, _ directory: String
  ) throws -> SecretLibrary.Handle {
    // SECRET_SERVICE_OPEN_SESSION, the flag that opens a session for transferring secrets.
    let openSession: Int32 = 2
    let deadline = ContinuousClock.now + .seconds(10)
    while true {
      var error: SecretLibrary.Failure?
      let type = library.secret_service_get_type()
      if let service = library.secret_service_open_sync(type, nil, openSession, nil, &error) {
        // By default, GLib would end this process when the message bus ends.
        library.g_dbus_connection_set_exit_on_close(library.g_dbus_proxy_get_connection(service), 0)
        return service
      }
      defer { library.g_error_free(error) }
      if ContinuousClock.now > deadline {
        throw failure("gnome-keyring-daemon does not start in \(directory): \(library.text(error))", in: directory)
      }
      usleep(5_000)
      library.drain(context)
    }
  }

  /// Throws an error unless the keyring with the secrets exists and is unlocked.
  private func checkOpen() throws {
    let path = try call("reading the default collection") {
      library.secret_service_read_alias_dbus_path_sync(service, Self.collection, nil, &$0)
    }
    defer { library.g_free(path) }
    guard let path else { throw KeychainError.authenticationFailed.error("no keyring in \(directory) can be opened") }
    let collection = try call("opening the collection") {
      library.secret_collection_new_for_dbus_path_sync(service, path, 0, nil, &$0)
    }
    guard let collection else { throw Self.failure("the collection cannot be opened", in: directory) }
    defer { library.g_object_unref(collection) }
    guard library.secret_collection_get_locked(collection) == 0 else {
      throw KeychainError.authenticationFailed.error("the password does not open the keyring in \(directory)")
    }
  }

  /// Closes the keychain and ends the keyring daemon. Pass false for `isClean` after an unfinished commit, to set
  /// ``wasInterrupted`` at the next opening.
  func close(isClean: Bool = true) {
    guard isOpen else { return }
    isOpen = false
    let connection = library.g_object_ref(library.g_dbus_proxy_get_connection(service))
    library.g_object_unref(service)
    _ = library.g_dbus_connection_close_sync(connection, nil, nil)
    library.drain(context)
    library.g_object_unref(connection)
    library.drain(context)
    session.end(isClean: isClean)
  }

  // MARK: - Items

  func set(_ secret: some Collection<UInt8>, _ service: String, _ account: String) throws {
    let bytes = Array(secret)
    let value = library.secret_value_new(bytes, bytes.count, "application/octet-stream")
    defer { library.secret_value_unref(value) }
    let attributes = try attributes(service, account)
    defer { library.g_hash_table_unref(attributes) }
    let isStored = try call("storing \(service)/\(account)") {
      library.secret_service_store_sync(
        self.service, schema, attributes, Self.collection, "\(service)/\(account)", value, nil, &$0)
    }
    // If an operation needs a prompt and there is none, libsecret reports no error.
    guard isStored != 0 else { throw Self.locked }
  }

  /// Deletes the secret of a service and account, which must exist.
  func delete(_ service: String, _ account: String) throws {
    guard let path = try path(service, account) else {
      throw KeychainError.notFound.error("there is no item \(service)/\(account)")
    }
    try delete(at: path)
  }

  // MARK: - Paths

  /// Returns the D-Bus path of a secret, such as `/org/freedesktop/secrets/collection/login/1`, or nil if missing.
  func path(_ service: String, _ account: String) throws -> String? { try paths(service, account).first }

  func paths(_ service: String?, _ account: String? = nil) throws -> [String] {
    let attributes = try attributes(service, account)
    defer { library.g_hash_table_unref(attributes) }
    var (open, locked): (SecretLibrary.Texts?, SecretLibrary.Texts?) = (nil, nil)
    _ = try call("searching") {
      library.secret_service_search_for_dbus_paths_sync(
        self.service, schema, attributes, nil, &open, &locked, &$0)
    }
    defer {
      library.g_strfreev(open)
      library.g_strfreev(locked)
    }
    // libsecret would ask for the password of a locked item and, without an answer, report no item.
    if locked?.pointee != nil { throw Self.locked }
    var paths: [String] = []
    while let path = open?[paths.count] { paths.append(String(cString: path)) }
    return paths
  }

  /// Passes the bytes of the secret at a D-Bus path to the body. The bytes are empty if saving the secret was
  /// interrupted, and valid only during the body.
  func withSecret<Result>(at path: String, _ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
    let secret = try call("reading \(path)") {
      library.secret_service_get_secret_for_dbus_path_sync(service, path, nil, &$0)
    }
    guard let secret else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    defer { library.secret_value_unref(secret) }
    return try body(bytes(secret))
  }

  /// Passes the secrets at several D-Bus paths to the body, in order. The buffer of a missing secret is empty. The
  /// buffers are valid only during the body.
  func withSecrets<Result>(at paths: [String], _ body: ([UnsafeRawBufferPointer]) throws -> Result) throws -> Result {
    guard !paths.isEmpty else { return try body([]) }
    var list = paths.map { strdup($0) } + [nil]
    defer { list.forEach { Foundation.free($0) } }
    let table = try call("reading \(paths.count) items") {
      library.secret_service_get_secrets_for_dbus_paths_sync(service, &list, nil, &$0)
    }
    guard let table else { throw Self.locked }
    defer { library.g_hash_table_unref(table) }
    return try body(
      list.dropLast().map { path in
        path.flatMap { library.g_hash_table_lookup(table, $0) }.map(bytes)
          ?? UnsafeRawBufferPointer(start: nil, count: 0)
      })
  }

  func delete(at path: String) throws {
    let isDeleted = try call("deleting \(path)") {
      library.secret_service_delete_item_dbus_path_sync(service, path, nil, &$0)
    }
    guard isDeleted != 0 else { throw Self.locked }
  }

  private func bytes(_ secret: SecretLibrary.Handle) -> UnsafeRawBufferPointer {
    var count = 0
    let start = library.secret_value_get(secret, &count)
    return UnsafeRawBufferPointer(start: start, count: count)
  }

  // MARK: - Calls

  private static let locked = KeychainError.interactionNotAllowed.error(
    "the store's private keyring is locked, and no prompt can unlock it; opening the store unlocks it, "
      + "so close the store and open it again, or start the command again")

  /// Returns a GLib hash table with the keys `service` and `account`. The table has no key for a nil argument.
  private func attributes(_ service: String?, _ account: String?) throws -> SecretLibrary.Handle {
    for text in [service, account] {
      guard let text else { continue }
      guard !text.isEmpty, !text.utf8.contains(0) else {
        throw KeychainError.parameter.error(
          "'\(text.replacing("\0", with: "\\0"))' is not a valid name of a service or an account")
      }
    }
    let table = library.g_hash_table_new_full(library.g_str_hash, library.g_str_equal, library.g_free, library.g_free)
    for (name, text) in [("service", service), ("account", account)] {
      guard let text else { continue }
      _ = library.g_hash_table_insert(table, library.g_strdup(name), library.g_strdup(text))
    }
    return table
  }

  /// Runs the body, which calls a function of libsecret, and throws the function's error, in which `what` describes it.
  private func call<Result>(_ what: String, _ body: (inout SecretLibrary.Failure?) -> Result) throws -> Result {
    var error: SecretLibrary.Failure?
    let result = body(&error)
    library.drain(context)
    guard let failed = error?.pointee else { return result }
    defer { library.g_error_free(error) }
    let domain = library.g_quark_to_string(failed.domain).map { String(cString: $0) } ?? ""
    let text = "\(what): \(library.text(error))"
    switch (domain, failed.code) {
    case ("secret-error", 2): throw Self.locked
    case ("secret-error", 3): throw KeychainError.notFound.error(text)
    case ("secret-error", 4): throw KeychainError.duplicate.error(text)
    default: throw Self.failure(text, in: directory)
    }
  }

  /// Returns the error of a failed call, which is usually that the disk is full or read-only.
  private static func failure(_ text: String, in directory: String) -> StoreError {
    var (disk, file) = (statvfs(), stat())
    guard statvfs(directory, &disk) == 0, stat(path(in: directory), &file) == 0 else { return .failed(text) }
    if disk.f_flag & UInt(ST_RDONLY) != 0 { return .readOnly(text) }
    // A save needs space for a copy of the file and for the added items, estimated at 1 MiB.
    let room = Int(disk.f_bavail) * Int(disk.f_frsize)
    return room < Int(file.st_size) + (1 << 20) ? .full(text) : .failed(text)
  }

  /// Returns the path of the file with all secrets.
  static func path(in directory: String) -> String { "\(directory)/keyrings/login.keyring" }
}
