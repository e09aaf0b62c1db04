import StorageBackends
import StorageContract
import TestSupport
import Testing

@testable import StorageVerify

/// Returns the backend of this package with an id.
func backend(_ id: String) throws -> any StorageBackend.Type {
  try #require(Backends.all.first { $0.description.id == id })
}

extension CheckedBackend {
  init(_ id: String, _ options: [String] = [], _ durability: Durability = .shipped) throws {
    let type = try backend(id)
    let options = try Options(parsing: options, specs: type.description.options, owner: id)
    self = try #require(CheckedBackend(type, options, durability))
  }
}

extension CrashTest {
  /// Returns the results of a crash test on a RAM disk, if there is one.
  static func results(
    _ type: any StorageBackend.Type, _ options: [String] = [], _ durability: Durability = .shipped,
    _ faults: [String]? = nil, count: Int = 1, seed: UInt64 = 1, history: SaveHistory = SaveHistory(),
    directory: String? = RAMDisk.path, only: String? = nil
  ) throws -> [CrashResult] {
    let options = try Options(parsing: options, specs: type.description.options, owner: type.description.id)
    return try CrashTest(
      type, options: options, durability: durability, faults: faults, count: count, seed: seed, history: history,
      directory: directory, only: only.map(CrashCase.init(parsing:))
    ).results()
  }
}

/// Returns a logged call, which succeeds unless it has another result. A write has the bytes of the text `data`.
func call(
  _ kind: LoggedCall.Kind, _ name: String = "a", to otherName: String = "", file: UInt64 = 1, offset: UInt64 = 0,
  length: UInt64? = nil, result: Int64 = 0, isSynchronous: Bool = false, truncates: Bool = false, _ data: String = ""
) -> LoggedCall {
  LoggedCall(
    kind: kind, name: name, otherName: otherName, file: file, replaced: 0, offset: offset,
    length: length ?? UInt64(data.utf8.count), result: result, isSynchronous: isSynchronous, truncates: truncates,
    isFault: false, began: 0, ended: 0, data: Array(data.utf8))
}
