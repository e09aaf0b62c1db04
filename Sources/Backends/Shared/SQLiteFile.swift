import StorageContract

/// Options of an SQLite file that SQLite's documentation recommends for blobs, as pragmas
/// (sqlite.org/intern-v-extern-blob.html: pages of 8 or 16 kB; sqlite.org/mmap.html).
enum SQLiteFile {
  static let page = OptionSpec(
    "page", ["4096", "8192", "16384"], help: "bytes of a page of the file; 4096 leaves the library's")
  static let mmap = OptionSpec(
    "mmap", .size(or: "0"), help: "how much of the file is read through a memory map; 0 leaves the library's")

  /// Returns the pragmas that a new connection runs first; empty if no option changes a default.
  static func pragmas(_ options: Options) -> String {
    let size = options[page] == page.defaultValue ? "" : "PRAGMA page_size=\(options[page]);"
    return size + (isMapped(options) ? "PRAGMA mmap_size=\(Quantity.bytes(options[mmap]) ?? 0);" : "")
  }

  /// Returns whether the file is read through a memory map. Writes always use system calls.
  static func isMapped(_ options: Options) -> Bool { options[mmap] != mmap.defaultValue }
}
