import Foundation
import StorageContract

/// The subject of a conformance check: the tested backend, its directories, and the violations found so far.
final class CheckSubject {
  let backend: CheckedBackend
  private let child: ChildProcess
  private(set) var violations: [String] = []

  /// The names of the two collections of a store, unless a check names others. The second name has unusual characters.
  static let collections = ["records", "odd \"name\" 名"]
  static let second = CollectionID(1)

  init(_ backend: CheckedBackend, in child: ChildProcess) {
    self.backend = backend
    self.child = child
  }

  var directories: ChildDirectories { child.directories }

  func environment(_ collections: [String] = collections) -> StoreEnvironment {
    backend.environment(directories.store, collections)
  }

  /// Opens the store, or a copy of the store in another environment.
  func open(_ environment: StoreEnvironment? = nil) throws -> any StorageBackend {
    try backend.type.init(opening: environment ?? self.environment())
  }

  func withStore(_ environment: StoreEnvironment? = nil, _ body: (any StorageBackend) throws -> Void) throws {
    let store = try open(environment)
    try body(store)
    try store.close()
  }

  /// Opens the store, or a copy of the store in another environment, and compares its content with the expected one.
  func expectStored(_ content: StoreContent, in environment: StoreEnvironment? = nil, _ when: String) throws {
    try withStore(environment) { try compare($0, content, when) }
  }

  func expect(_ condition: Bool, _ violation: @autoclosure () -> String) {
    if !condition { violate(violation()) }
  }

  func violate(_ sentence: String) {
    if violations.count < 4, !violations.contains(sentence) { violations.append(sentence) }
  }

  /// Runs `body`, which must throw a `StoreError` that `condition` accepts. Otherwise, records a violation, whose text
  /// begins with `what`.
  func expectError(_ what: String, _ condition: (StoreError) -> Bool = { _ in true }, _ body: () throws -> Void) {
    do {
      try body()
      violate("\(what) threw no error")
    } catch let error as StoreError {
      expect(condition(error), "\(what) threw a different error from the expected one: \(error)")
    } catch {
      violate("\(what) threw something other than a StoreError: \(error)")
    }
  }

  /// Runs a body that must end this process by a signal, such as SIGKILL. If the process survives, records a violation.
  func die(_ body: () throws -> Void) rethrows {
    child.answer(CheckAnswer(violations: violations, isAboutToDie: true))
    try body()
    violate("the process lives on")
  }

  func kill() { die { Foundation.kill(getpid(), SIGKILL) } }

  var files: [(path: String, length: Int)] {
    let files = DirectoryFiles.paths(directories.store).map { path in
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      return (path: path, length: (attributes?[.size] as? NSNumber)?.intValue ?? 0)
    }
    return files.sorted { ($1.length, $0.path) < ($0.length, $1.path) }
  }

  func removeFiles() throws { try DirectoryFiles.empty(directories.store) }
}

/// The answer of a child process that has run one step of a conformance check.
struct CheckAnswer: Codable {
  var violations: [String] = []
  var isAboutToDie = false
}
