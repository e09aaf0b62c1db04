import Foundation

/// The shared libraries of this process.
public enum SharedObjects {
  /// Returns the path of a library whose file name begins as given, or nil if the process has not loaded it.
  public static func path(of name: String) -> String? {
    // String(contentsOfFile:) reads only the first 4 KiB of a file in /proc.
    let data = try? FileHandle(forReadingAtPath: "/proc/self/maps")?.readToEnd()
    let maps = String(decoding: (data ?? nil) ?? Data(), as: UTF8.self)
    return maps.split(separator: "\n").compactMap { line in line.firstIndex(of: "/").map { String(line[$0...]) } }
      .first { $0.split(separator: "/").last?.hasPrefix(name) == true }
  }
}
