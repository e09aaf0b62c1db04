import Foundation
import StorageContract

/// A store of secrets in a private GNOME keyring, used through libsecret. A service name and an account name together
/// identify a secret.
final class Keychain {
  private let library: SecretLibrary
  private let session: KeyringSession
  private let service: SecretLibrary.Handle
  /// The GLib main context (an event loop) that receives messages from the keyring daemon.
  private let context: SecretLibrary.Handle
  private let schema: SecretLibrary.Handle
  private var isOpen = true

  /// Whether the last use of the keychain ended without a close, for example by a crash.
  var wasInterrupted: Bool { session.wasInterrupted }
  /// The algorithm that encrypts secrets on the way to the keyring daemon: `plain` without encryption, or `unknown`.
  var transport: String { library.algorithms(service).map { String(cString: $0) } ?? "unknown" }

  private typealias Failed = SecretLibrary.Handle?

  private static let collection = "default"
  // libsecret finds the message bus only by this environment variable, so only one keychain can be open at a time.
  private static let busVariable = "DBUS_SESSION_BUS_ADDRESS"
  private static let turn = DispatchSemaphore(value: 1)
  private static nonisolated(unsafe) let itemSchema = SecretLibrary.shared?.schema(
    "storage-bench.Item", ["service", "account"])
  /// The GLib main context (an event loop) for the D-Bus messages of all keychains that this process opens.
  private static nonisolated(unsafe) let signals = SecretLibrary.shared?.newContext()

  /// Opens the keychain in a directory, or creates an empty one. A process can have only one open keychain.
  ///
  /// - Throws: ``KeychainError/authenticationFailed(_:)`` for a wrong password or an unreadable keyring;
  ///   ``KeychainError/io(_:)`` without libsecret or a responding daemon; ``StoreError/busy(_:)`` if another keychain
  ///   stays open in this process for 10 s, or another process uses the directory.
  init(in directory: String, password: String = "storage-bench") throws {
    guard let library = SecretLibrary.shared, let schema = Self.itemSchema, let context = Self.signals else {
      throw KeychainError.io("libsecret is missing; install libsecret-1-0")
    }
    guard Self.turn.wait(timeout: .now() + 10) == .success else {
      throw StoreError.busy("another keychain is open in this process")
    }
    do {
      session = try KeyringSession(in: directory, password: password)
    } catch {
      Self.turn.signal()
      throw error
    }
    let before = getenv(Self.busVariable).map { String(cString: $0) }
    setenv(Self.busVariable, session.address, 1)
    defer {
      if let before { setenv(Self.busVariable, before, 1) } else { unsetenv(Self.busVariable) }
    }
    (self.library, self.schema) = (library, schema)
    self.context = context
    library.pushContext(context)
    defer { library.popContext(context) }
    do {
      service = try Self.reach(library, context, directory)
    } catch {
      session.end(isClean: false)
      Self.turn.signal()
      throw error
    }
    do {
      try checkOpen(directory)
    } catch {
      close(isClean: false)
      throw error
    }
  }

  deinit { close(isClean: false) }

  /// Waits up to 10 s until the keyring daemon responds. Returns libsecret's object for the daemon's Secret Service.
  private static func reach(
    _ library: SecretLibrary, _ context: SecretLibrary.Handle, _ directory: String
  ) throws(KeychainError) -> SecretLibrary.Handle {
    // SECRET_SERVICE_OPEN_SESSION, the flag that opens a session for transferring secrets.
    let openSession: Int32 = 2
    let deadline = ContinuousClock.now + .seconds(10)
    while true {
      var error: Failed = nil
      if let service = library.openService(library.serviceType(), nil, openSession, nil, &error) {
        // By default, GLib would end this process when the message bus ends.
        library.setExitOnClose(library.connection(service), 0)
        return service
      }
      defer { library.freeError(error) }
      if ContinuousClock.now > deadline {
        throw .io("gnome-keyring-daemon does not start in \(directory): \(library.text(error))")
      }
      usleep(5_000)
      library.drain(context)
    }
  }

  /// Throws ``KeychainError/authenticationFailed(_:)`` unless the keyring with the secrets exists and is unlocked.
  private func checkOpen(_ directory: String) throws(KeychainError) {
    let path = try call("reading the default collection") { library.alias(service, Self.collection, nil, &$0) }
    defer { library.free(path) }
    guard let path else { throw .authenticationFailed("no keyring in \(directory) can be opened") }
    let collection = try call("opening the collection") { library.openCollection(service, path, 0, nil, &$0) }
    guard let collection else { throw .io("the collection cannot be opened") }
    defer { library.release(collection) }
    guard library.isLocked(collection) == 0 else {
      throw .authenticationFailed("the password does not open the keyring in \(directory)")
    }
  }

  /// Closes the keychain and ends the keyring daemon. Pass false for `isClean` after an unfinished commit, to set
  /// ``wasInterrupted`` at the next opening.
  func close(isClean: Bool = true) {
    guard isOpen else { return }
    isOpen = false
    let connection = library.retain(library.connection(service))
    library.release(service)
    _ = library.closeConnection(connection, nil, nil)
    library.drain(context)
    library.release(connection)
    library.drain(context)
    session.end(isClean: isClean)
    Self.turn.signal()
  }

  // MARK: - Items

  /// Adds a secret with a service and an account.
  ///
  /// - Throws: ``KeychainError/duplicate(_:)`` if the service and account have a secret already.
  func add(_ secret: [UInt8], _ service: String, _ account: String) throws(KeychainError) {
    guard try path(service, account) == nil else { throw .duplicate("there is an item \(service)/\(account)") }
    try set(secret, service, account)
  }

  func set(_ secret: some Collection<UInt8>, _ service: String, _ account: String) throws(KeychainError) {
    let bytes = Array(secret)
    let value = library.newSecret(bytes, bytes.count, "application/octet-stream")
    defer { library.releaseSecret(value) }
    let attributes = try attributes(service, account)
    defer { library.releaseTable(attributes) }
    let isStored = try call("storing \(service)/\(account)") {
      library.store(self.service, schema, attributes, Self.collection, "\(service)/\(account)", value, nil, &$0)
    }
    // If an operation needs a prompt and there is none, libsecret reports no error.
    guard isStored != 0 else { throw Self.locked }
  }

  /// Passes the secret of a service and account to the body.
  ///
  /// - Throws: ``KeychainError/notFound(_:)`` if there is no such secret.
  func withSecret<Result>(
    _ service: String, _ account: String, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    guard let path = try path(service, account) else {
      throw KeychainError.notFound("there is no item \(service)/\(account)")
    }
    return try withSecret(at: path, body)
  }

  /// Returns a secret as text. Throws ``KeychainError/notFound(_:)`` if the secret is missing, or
  /// ``KeychainError/decode(_:)`` if it is not UTF-8.
  func password(_ service: String, _ account: String) throws -> String {
    guard let text = try withSecret(service, account, { String(validating: $0, as: UTF8.self) }) else {
      throw KeychainError.decode("the secret of \(service)/\(account) is not text")
    }
    return text
  }

  /// Deletes the secret of a service and account.
  ///
  /// - Throws: ``KeychainError/notFound(_:)`` if there is no such secret.
  func delete(_ service: String, _ account: String) throws(KeychainError) {
    guard let path = try path(service, account) else { throw .notFound("there is no item \(service)/\(account)") }
    try delete(at: path)
  }

  func accounts(of service: String? = nil) throws(KeychainError) -> [(service: String, account: String)] {
    var found: [(service: String, account: String)] = []
    for path in try paths(service) {
      let item = try call("reading an item") { library.openItem(self.service, path, 0, nil, &$0) }
      guard let item else { continue }
      defer { library.release(item) }
      guard let attributes = library.attributes(item) else { continue }
      defer { library.releaseTable(attributes) }
      func text(_ name: String) -> String {
        library.value(attributes, name).map { String(cString: $0.assumingMemoryBound(to: CChar.self)) } ?? ""
      }
      found.append((text("service"), text("account")))
    }
    return found
  }

  /// Locks the keychain, so that its secrets cannot be read until the next opening.
  func lock() throws(KeychainError) {
    let path = try call("reading the default collection") { library.alias(service, Self.collection, nil, &$0) }
    defer { library.free(path) }
    var list: [UnsafeMutablePointer<CChar>?] = [path, nil]
    var locked: SecretLibrary.Texts?
    _ = try call("locking the keyring") { library.lock(service, &list, nil, &locked, &$0) }
    library.freeTexts(locked)
  }

  // MARK: - Paths

  /// Returns the D-Bus path of a secret, such as `/org/freedesktop/secrets/collection/login/1`, or nil if the secret
  /// does not exist.
  func path(_ service: String, _ account: String) throws(KeychainError) -> String? { try paths(service, account).first }

  func paths(_ service: String?, _ account: String? = nil) throws(KeychainError) -> [String] {
    let attributes = try attributes(service, account)
    defer { library.releaseTable(attributes) }
    var (open, locked): (SecretLibrary.Texts?, SecretLibrary.Texts?) = (nil, nil)
    _ = try call("searching") { library.search(self.service, schema, attributes, nil, &open, &locked, &$0) }
    defer {
      library.freeTexts(open)
      library.freeTexts(locked)
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
    let secret = try call("reading \(path)") { library.secret(service, path, nil, &$0) }
    guard let secret else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    defer { library.releaseSecret(secret) }
    return try body(bytes(secret))
  }

  /// Passes the secrets at several D-Bus paths to the body, in order. The buffer of a missing secret is empty. The
  /// buffers are valid only during the body.
  func withSecrets<Result>(at paths: [String], _ body: ([UnsafeRawBufferPointer]) throws -> Result) throws -> Result {
    guard !paths.isEmpty else { return try body([]) }
    var list = paths.map { strdup($0) } + [nil]
    defer { list.forEach { Foundation.free($0) } }
    let table = try call("reading \(paths.count) items") { library.secrets(service, &list, nil, &$0) }
    guard let table else { throw Self.locked }
    defer { library.releaseTable(table) }
    return try body(
      list.dropLast().map { path in
        path.flatMap { library.value(table, $0) }.map(bytes) ?? UnsafeRawBufferPointer(start: nil, count: 0)
      })
  }

  func delete(at path: String) throws(KeychainError) {
    let isDeleted = try call("deleting \(path)") { library.delete(service, path, nil, &$0) }
    guard isDeleted != 0 else { throw Self.locked }
  }

  private func bytes(_ secret: SecretLibrary.Handle) -> UnsafeRawBufferPointer {
    var count = 0
    let start = library.bytes(secret, &count)
    return UnsafeRawBufferPointer(start: start, count: count)
  }

  // MARK: - Calls

  private static let locked = KeychainError.interactionNotAllowed(
    "the store's private keyring is locked, and no prompt can unlock it; opening the store unlocks it, "
      + "so close the store and open it again, or start the command again")

  /// Returns a GLib hash table with the keys `service` and `account`. The table has no key for a nil argument.
  private func attributes(_ service: String?, _ account: String?) throws(KeychainError) -> SecretLibrary.Handle {
    for text in [service, account] {
      guard let text else { continue }
      guard !text.isEmpty, !text.utf8.contains(0) else {
        throw .parameter("'\(text.replacing("\0", with: "\\0"))' is not a valid name of a service or an account")
      }
    }
    let table = library.newTextTable()
    for (name, text) in [("service", service), ("account", account)] {
      guard let text else { continue }
      _ = library.insert(table, library.copy(name), library.copy(text))
    }
    return table
  }

  /// Runs the body, which calls a function of libsecret, and throws the function's error. `what` describes the call in
  /// the error's text.
  private func call<Result>(_ what: String, _ body: (inout Failed) -> Result) throws(KeychainError) -> Result {
    var error: Failed = nil
    let result = body(&error)
    library.drain(context)
    guard let failed = error?.load(as: SecretLibrary.GError.self) else { return result }
    defer { library.freeError(error) }
    let domain = library.domainName(failed.domain).map { String(cString: $0) } ?? ""
    let text = "\(what): \(library.text(error))"
    switch (domain, failed.code) {
    case ("secret-error", 2): throw Self.locked
    case ("secret-error", 3): throw .notFound(text)
    case ("secret-error", 4): throw .duplicate(text)
    default: throw .io(text)
    }
  }
}
