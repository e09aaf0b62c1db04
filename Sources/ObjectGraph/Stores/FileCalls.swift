import Foundation

/// System calls on the files of a store: again where they were interrupted, with the store's errors where they fail.
struct FileCalls {
  /// The store's name, for messages.
  let file: String

  /// Returns the result of a system call.
  ///
  /// - Throws: ``ObjectGraphError``, as ``error(_:)`` makes it.
  @discardableResult
  func retrying<Result: SignedInteger>(_ what: String, _ call: () -> Result) throws -> Result {
    while true {
      let result = call()
      if result >= 0 { return result }
      guard errno == EINTR else { throw error(what) }
    }
  }

  /// Writes all bytes at the place where a file is.
  func write(_ bytes: some ContiguousBytes, to descriptor: Int32, _ what: String) throws {
    try bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let written = try retrying(what) {
          Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        }
        // A device that takes nothing and reports nothing would go on for ever.
        guard written > 0 else {
          throw ObjectGraphError.diskFull(file: file, "a write of \(rest.count) bytes wrote none")
        }
        rest = rest.dropFirst(written)
      }
    }
  }

  /// Returns the error of the last system call.
  func error(_ what: String) -> ObjectGraphError {
    let code = errno
    let text = "\(what): \(String(cString: strerror(code))) (errno \(code))"
    return switch code {
    // A limit on the size of files is like a disk that ends there.
    case ENOSPC, EDQUOT, EFBIG: .diskFull(file: file, text)
    case EACCES, EPERM, EROFS: .readOnly(file: file, text)
    default: .store(file: file, text)
    }
  }
}
