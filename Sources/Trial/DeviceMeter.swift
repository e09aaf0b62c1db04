import Foundation
import StorageContract

/// A counter of the bytes that are written to a store's block device, such as a loop device.
struct DeviceMeter {
  private let request: TrialRequest
  private let counter: String
  private let start: Int

  /// Flushes pending writes, then starts to count the bytes written to the store's block device. Returns nil if
  /// `request.deviceCounter` is nil.
  init?(_ request: TrialRequest) throws {
    guard let counter = request.deviceCounter else { return nil }
    (self.request, self.counter) = (request, counter)
    try StoreFiles.sync(request.directory)
    start = try Self.written(counter)
  }

  /// Flushes pending writes, and returns the number of bytes written to the device since this meter was created.
  func bytes() throws -> Int {
    try StoreFiles.sync(request.directory)
    return try Self.written(counter) - start
  }

  /// Returns the bytes written to a device so far: the seventh number in the file `counter`, in sectors of 512 bytes
  /// (Documentation/block/stat.rst).
  private static func written(_ counter: String) throws -> Int {
    guard let text = try? String(contentsOfFile: counter, encoding: .utf8),
      let sectors = text.split(whereSeparator: \.isWhitespace).dropFirst(6).first.flatMap({ Int($0) })
    else { throw StoreError.failed("cannot read \(counter)") }
    return sectors * 512
  }
}
