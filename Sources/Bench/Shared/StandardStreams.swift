import CStorageInstrument

/// Standard error, unbuffered.
enum StandardError {
  static func write(_ text: String) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { ci_write_all(2, $0.baseAddress, UInt64($0.count)) }
  }
}

/// Standard output, unbuffered: what was printed is there even if the process is killed.
enum StandardOutput {
  static func write(_ text: String) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { ci_write_all(1, $0.baseAddress, UInt64($0.count)) }
  }
}
