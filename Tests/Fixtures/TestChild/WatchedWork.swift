import CStorageInstrument
import Foundation
import StorageBackends
import StorageContract

/// Work on a store while its calls are logged, for tests that compare the log with a trace of strace.
///
///     watched-work BACKEND DIRECTORY LOG       BACKEND with options, as in sqlite:journal=wal
///
/// DIRECTORY exists and is empty, as does XDG_CONFIG_HOME if the backend keeps user defaults. Exit code 1 if the writes
/// in the kernel differ from the counted and logged ones.
enum WatchedWork {
  static func run(_ arguments: [String]) throws {
    guard arguments.count == 3 else { fail("name a backend, a directory and a log", 64) }
    let parts = arguments[0].split(separator: ":").map(String.init)
    guard let backend = Backends.all.first(where: { $0.description.id == parts[0] }) else {
      fail("no such backend", 64)
    }
    let options = try Options(parsing: Array(parts.dropFirst()), specs: backend.description.options, owner: parts[0])

    var (before, after) = (ci_process_io(), ci_process_io())
    var (counts, watched) = (ci_counts(), ci_watched())
    _ = ci_read_process_io(&before)
    ci_begin(arguments[1])
    guard ci_watch(arguments[2], 1) == 0 else { fail("cannot write \(arguments[2])", 64) }
    try work(backend, StoreEnvironment(directory: arguments[1], options: options))
    ci_read(&counts)
    ci_read_watched(&watched)
    _ = ci_read_process_io(&after)
    ci_end()
    let calls = counts.write_calls + counts.other_write_calls + watched.log_calls
    let bytes = counts.bytes_written + counts.other_bytes_written + watched.log_bytes
    let isWhole =
      watched.log_error == 0 && after.write_calls - before.write_calls == calls
      && after.bytes_written - before.bytes_written == bytes
    exit(isWhole ? 0 : 1)
  }

  private static func record(_ key: Int64, _ payload: String) -> Record {
    Record(id: key, name: "name \(key)", group: "group", score: Double(key), modified: 0, payload: Array(payload.utf8))
  }

  /// Saves in two sessions. The second one finds the content of the first.
  private static func work(_ backend: any StorageBackend.Type, _ environment: StoreEnvironment) throws {
    for session in 0..<2 {
      let store = try backend.init(opening: environment)
      try store.commit((0..<20).map { .put(record($0, "payload of session \(session)")) })
      try store.commit([.put(record(5, "changed"))])
      try store.commit([.delete(7), .put(record(100, String(repeating: "long", count: 3_000)))])
      guard try store.count(in: .records) == 20, try store.record(5, in: .records)?.id == 5 else {
        fail("the store does not hold what was saved", 64)
      }
      try store.settle()
      try store.close()
    }
  }
}
