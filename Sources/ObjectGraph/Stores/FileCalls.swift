import Foundation

/// The system calls on the files of a store. A call that a signal interrupts is repeated. Other errors are thrown.
struct FileCalls {
  let file: String

  /// Returns the status of a file, or nil if there is no such file.
  static func status(of path: String) -> stat? {
    var status = stat()
    return stat(path, &status) == 0 ? status : nil
  }

  /// Makes a system call, and repeats it after a signal. If the call fails, throws an error with the text `what`.
  @discardableResult
  func retrying<Result: SignedInteger>(_ what: String, _ call: () -> Result) throws -> Result {
    while true {
      let result = call()
      if result >= 0 { return result }
      guard errno == EINTR else { throw error(what) }
    }
  }

  func write(_ bytes: some ContiguousBytes, to descriptor: Int32, _ what: String) throws {
    try bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let written = try retrying(what) {
          Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        }
        // A device that writes nothing and reports no error would cause an endless loop.
        try require(written > 0, .diskFull(file: file, "a write of \(rest.count) bytes wrote none"))
        rest = rest.dropFirst(written)
      }
    }
  }

  func error(_ what: String) -> ObjectGraphError {
    let code = errno
    let text = "\(what): \(String(cString: strerror(code))) (errno \(code))"
    return switch code {
    // A limit on the file size has the effect of a full disk.
    case ENOSPC, EDQUOT, EFBIG: .diskFull(file: file, text)
    case EACCES, EPERM, EROFS: .readOnly(file: file, text)
    default: .store(file: file, text)
    }
  }
}
