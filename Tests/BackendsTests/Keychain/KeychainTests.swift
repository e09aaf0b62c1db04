import Foundation
import StorageContract
import StorageVerify
import Testing

@testable import StorageBackends

extension Keychain {
  fileprivate func secret(_ service: String, _ account: String) throws -> [UInt8]? {
    try path(service, account).map { try withSecret(at: $0) { Array($0) } }
  }

  /// Locks the keychain, so that its secrets cannot be read until the next opening.
  fileprivate func lock() {
    typealias Pointer = UnsafeMutableRawPointer
    typealias Lock = @convention(c) (Pointer, Pointer, Pointer?, Pointer?, Pointer?) -> Int32
    let function = dlsym(dlopen("libsecret-1.so.0", RTLD_NOW), "secret_service_lock_dbus_paths_sync")
    let lock = unsafeBitCast(function, to: Lock.self)
    var (error, locked): (Pointer?, Pointer?) = (nil, nil)
    var list = [library.secret_service_read_alias_dbus_path_sync(service, "default", nil, nil), nil]
    #expect(lock(service, &list, nil, &locked, &error) == 1)
  }
}

/// The operations of Apple's Keychain on the Secret Service. A process can have one keychain open at a time.
@Suite(
  .serialized,
  .enabled(
    if: KeychainBackend.description.missing() == nil,
    "libsecret, gnome-keyring or dbus is missing, so the backend keychain is not tested"))
final class KeychainTests {
  private let directory: String

  init() throws { directory = try Subject.temporaryDirectory() }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  @Test func itemsGoByServiceAndAccount() throws {
    let keychain = try Keychain(in: directory)
    defer { keychain.close() }
    try keychain.set(Array("5788".utf8), "MyAccount", "LinMingJun")
    try keychain.set(Array("名前 🔑".utf8), "MyAccount", "LinMingjunTwo")
    try keychain.set([], "Other", "LinMingJun")
    #expect(try keychain.secret("MyAccount", "LinMingJun") == Array("5788".utf8))
    #expect(try keychain.secret("MyAccount", "LinMingjunTwo") == Array("名前 🔑".utf8))
    #expect(try keychain.paths("MyAccount").count == 2)
    #expect(try keychain.paths(nil).count == 3)
    try keychain.set(Array("new".utf8), "MyAccount", "LinMingJun")
    #expect(try keychain.secret("MyAccount", "LinMingJun") == Array("new".utf8))
    try keychain.delete("MyAccount", "LinMingJun")
    #expect(try keychain.secret("MyAccount", "LinMingJun") == nil && keychain.paths("MyAccount").count == 1)
  }

  @Test func anArchivedObjectIsASecret() throws {
    let keychain = try Keychain(in: directory)
    defer { keychain.close() }
    let archive = try NSKeyedArchiver.archivedData(
      withRootObject: ["user", "secret"] as NSArray, requiringSecureCoding: true)
    try keychain.set(archive, "objects", "one")
    #expect(try keychain.secret("objects", "one") == Array(archive))
  }

  @Test func errorsAreTyped() throws {
    let keychain = try Keychain(in: directory)
    try keychain.set([1, 0xff], "service", "account")
    #expect(Self.status { try keychain.delete("service", "nobody") } == -25_300)
    #expect(Self.status { try keychain.set([1], "", "account") } == -50)
    #expect(Self.status { try keychain.set([1], "service", "zero\0byte") } == -50)
    #expect(try keychain.secret("service", "account") == [1, 0xff])
    keychain.lock()
    #expect(Self.status { _ = try keychain.secret("service", "account") } == -25_308)
    #expect(Self.status { try keychain.set([2], "service", "account") } == -25_308)
    #expect(Self.status { try keychain.set([2], "service", "another") } == -25_308)
    #expect(Self.status { try keychain.delete("service", "account") } == -25_308)
    keychain.close()
    #expect(Self.status { _ = try Keychain(in: directory, password: "wrong") } == -25_293)
    let again = try Keychain(in: directory)
    #expect(try again.secret("service", "account") == [1, 0xff])
    // A closed keychain has no daemon and does not answer.
    again.close()
  }

  private static func status(_ body: () throws -> Void) -> Int32? {
    do {
      try body()
      return nil
    } catch {
      // The code is at the end of the text, as in `(-25308)`.
      return "\(error)".split(separator: "(").last.flatMap { Int32($0.dropLast()) }
    }
  }

  @Test func aLockedStoreIsATypedError() throws {
    let environment = StoreEnvironment(directory: directory)
    try Keychain(in: directory, password: "another").close()
    let error = #expect(throws: StoreError.self) { _ = try KeychainBackend(opening: environment) }
    #expect(error?.description.hasPrefix("store is locked: ") == true)
  }

  @Test func secretsAreInNoFile() throws {
    let words = ["topsecretpayload", "verysecretname", "secretcollection"]
    let environment = StoreEnvironment(directory: directory, collections: ["secretcollection"])
    let store = try KeychainBackend(opening: environment)
    try store.commit((0..<5).map { Change.put(Tricky.record($0, words[1], payload: Data(words[0].utf8))) })
    #expect(Self.files(directory, holding: words).isEmpty)
    #expect(try store.record(3, in: .records)?.name == words[1])
    try store.close()
    #expect(Self.files(directory, holding: words).isEmpty)
    // The search does find text that is in a file.
    let plain: any StorageBackend = try SQLiteBackend(opening: environment)
    try plain.commit([.put(Tricky.record(1, words[1], payload: Data(words[0].utf8)))])
    try plain.close()
    #expect(!Self.files(directory, holding: words).isEmpty)
  }

  private static func files(_ directory: String, holding words: [String]) -> [String] {
    DirectoryFiles.paths(directory).filter { path in
      let data = FileManager.default.contents(atPath: path) ?? Data()
      return words.contains { data.firstRange(of: Data($0.utf8)) != nil }
    }
  }

  @Test func itemsSurviveOtherStoresAndRestarts() throws {
    let (kept, other) = (directory, try Subject.temporaryDirectory())
    for directory in [kept, other] {
      let store = try KeychainBackend(opening: StoreEnvironment(directory: directory))
      try store.commit([.put(Tricky.record(1, directory))])
      try store.close()
    }
    try FileManager.default.removeItem(atPath: other)
    let store = try KeychainBackend(opening: StoreEnvironment(directory: kept))
    #expect(try store.record(1, in: .records)?.name == kept)
    try store.close()
    #expect(!FileManager.default.fileExists(atPath: other))
  }

  /// The next opening restores items that an unfinished commit has replaced, and removes an item without a secret.
  @Test func anUnfinishedCommitIsTakenBack() throws {
    let environment = StoreEnvironment(directory: directory)
    let store = try KeychainBackend(opening: environment)
    try store.commit([.put(Tricky.record(1, "one")), .put(Tricky.record(2, "two"))])
    try store.close()
    let keychain = try Keychain(in: directory)
    let service = "storage-bench.records"
    // In the middle of a commit: item 1 has an invalid value, item 2 is deleted, items 3 and 4 are new.
    var note = Data()
    func append(_ bytes: some Collection<UInt8>) {
      withUnsafeBytes(of: UInt32(bytes.count).littleEndian) { note.append(contentsOf: $0) }
      note.append(contentsOf: bytes)
    }
    for key in 1...3 {
      append(service.utf8)
      append("\(key)".utf8)
      append(try keychain.secret(service, "\(key)") ?? [])
    }
    try keychain.set(note, "storage-bench-undo", "commit")
    try keychain.set([1, 2, 3], service, "1")
    try keychain.delete(service, "2")
    try keychain.set([1, 2, 3], service, "3")
    try keychain.set([], service, "4")
    keychain.close(isClean: false)
    let again = try KeychainBackend(opening: environment)
    #expect(try again.records(.all, in: .records).map(\.name) == ["one", "two"])
    #expect(try again.count(in: .records) == 2)
    try again.close()
  }

  /// Each daemon ends with its store, and the user's session bus stays unchanged.
  @Test func noDaemonIsLeft() throws {
    let bus = ProcessInfo.processInfo.environment["DBUS_SESSION_BUS_ADDRESS"]
    let keychain = try Keychain(in: directory)
    #expect(Self.processes(in: directory).count >= 3)
    #expect(getenv("DBUS_SESSION_BUS_ADDRESS").map { String(cString: $0) } == bus)
    keychain.close()
    #expect(Self.processes(in: directory) == [])
    // Nothing is open for writing. A keychain that was never closed ends with its object.
    var dropped: Keychain? = try Keychain(in: directory)
    #expect(dropped?.wasInterrupted == false)
    dropped = nil
    #expect(Self.processes(in: directory) == [])
    #expect(try Keychain(in: directory).wasInterrupted)
  }

  /// The shell watches the daemons. They must end even if it is killed.
  @Test func noDaemonIsLeftWithoutItsShell() throws {
    let keychain = try Keychain(in: directory)
    let shell = try #require(
      Self.processes(in: directory).first { process in
        (try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)) == "sh\n"
      }.flatMap { pid_t($0) })
    kill(shell, SIGKILL)
    for _ in 0..<500 where !Self.processes(in: directory).isEmpty { usleep(10_000) }
    #expect(Self.processes(in: directory) == [])
    // The error of the call itself, and not that of a locked keychain.
    let error = #expect(throws: StoreError.self) { try keychain.set([1], "service", "account") }
    #expect(error?.description.hasPrefix("storing service/account: ") == true, "\(String(describing: error))")
    keychain.close()
  }

  private static func processes(in directory: String) -> [String] {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return entries.filter { entry in
      guard Int(entry) != nil else { return false }
      let current = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(entry)/cwd")
      return current == directory
    }
  }
}
