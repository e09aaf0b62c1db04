import Foundation
import StorageContract

/// A counter of the bytes that reach the block device of a store. Before the counter starts, all earlier writes are
/// flushed to the device, so that they do not count.
struct DeviceMeter {
  private let request: TrialRequest
  private let counter: String
  private let start: Int

  /// Creates the counter; nil if `request.deviceCounter`, the file in which the kernel counts the device's writes, is
  /// nil.
  init?(_ request: TrialRequest) throws {
    guard let counter = request.deviceCounter else { return nil }
    (self.request, self.counter) = (request, counter)
    try StoreFiles.sync(request.directory)
    start = try Self.written(counter)
  }

  /// Flushes the writes that the file system has not yet passed to the device, and returns the bytes written since the
  /// counter was created.
  func bytes() throws -> Int {
    try StoreFiles.sync(request.directory)
    return try Self.written(counter) - start
  }

  /// Returns the total number of bytes written to the device so far. The seventh number in the file `counter` is the
  /// number of written sectors of 512 bytes. Source: the kernel's Documentation/block/stat.rst.
  private static func written(_ counter: String) throws -> Int {
    guard let text = try? String(contentsOfFile: counter, encoding: .utf8),
      let sectors = text.split(whereSeparator: \.isWhitespace).dropFirst(6).first.flatMap({ Int($0) })
    else { throw StoreError.failed("cannot read \(counter)") }
    return sectors * 512
  }
}
