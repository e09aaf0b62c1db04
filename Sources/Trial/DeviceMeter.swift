import Foundation
import StorageContract

/// A counter of the bytes that reach the block device of a store, from its creation on. Everything else that is to be
/// written is written before.
struct DeviceMeter {
  private let request: TrialRequest
  private let counter: String
  private let start: Int

  /// Creates the counter; nil if the request names no device.
  init?(_ request: TrialRequest) throws {
    guard let counter = request.deviceCounter else { return nil }
    (self.request, self.counter) = (request, counter)
    try StoreFiles.sync(request.directory)
    start = try Self.written(counter)
  }

  /// Writes back what the file system still holds, and returns the bytes written so far.
  func bytes() throws -> Int {
    try StoreFiles.sync(request.directory)
    return try Self.written(counter) - start
  }

  /// Returns the written bytes: the seventh number of the file counts sectors of 512 bytes. Source: the kernel's
  /// Documentation/block/stat.rst.
  private static func written(_ counter: String) throws -> Int {
    guard let text = try? String(contentsOfFile: counter, encoding: .utf8),
      let sectors = text.split(whereSeparator: \.isWhitespace).dropFirst(6).first.flatMap({ Int($0) })
    else { throw StoreError.failed("cannot read \(counter)") }
    return sectors * 512
  }
}
