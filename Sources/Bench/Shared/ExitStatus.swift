enum ExitStatus {
  static let ok: Int32 = 0
  /// The exit code if a measurement failed, or a backend did not keep what it guarantees.
  static let failed: Int32 = 1
  /// The exit code for a regression, or for measurements that break a rule such as `A p50 <= 5 x B`.
  static let regression: Int32 = 2
  /// The exit code if the command cannot judge the measurements, for example because they scatter too much.
  static let unjudged: Int32 = 3
  static let usage: Int32 = 64
  /// The exit code if something must be installed first, such as the library of a backend.
  static let unavailable: Int32 = 69
  /// The exit code if the suite could not read or write its own files.
  static let ioError: Int32 = 74
  static let interrupted: Int32 = 130

  static let meanings: [(status: Int32, words: String)] = [
    (ok, "done"), (failed, "a cell failed, or a backend broke the promise of its safety level"),
    (regression, "a regression or a broken rule"),
    (unjudged, "cells or rules could not be judged (in 'paired': more than 10 % of the cells)"),
    (usage, "invalid argument or file"), (unavailable, "something must be installed"),
    (ioError, "the suite could not read or write its own files"), (interrupted, "interrupted"),
  ]

  struct Failure: Error, CustomStringConvertible {
    let status: Int32
    let description: String

    init(_ status: Int32, _ description: String) {
      self.status = status
      self.description = description
    }
  }
}

/// Runs `body`. After an error, runs `undo`, and throws the error again.
func attempt<Result>(_ body: () throws -> Result, undo: () -> Void) rethrows -> Result {
  do {
    return try body()
  } catch {
    undo()
    throw error
  }
}
