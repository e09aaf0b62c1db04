import Foundation

/// The features that are enabled in an ext2, ext3 or ext4 file system, by their names in e2fsprogs.
///
/// Source: "Ext4 Disk Layout", <https://docs.kernel.org/filesystems/ext4/super.html>.
enum Ext4Features {
  /// The byte offsets of the superblock's three feature sets, with the name of each documented bit.
  private static let sets: [(offset: Int, letter: String, names: [Int: String])] = [
    (
      0x5C, "C",
      [
        0: "dir_prealloc", 1: "imagic_inodes", 2: "has_journal", 3: "ext_attr", 4: "resize_inode", 5: "dir_index",
        9: "sparse_super2", 10: "fast_commit", 11: "stable_inodes", 12: "orphan_file",
      ]
    ),
    (
      0x60, "I",
      [
        0: "compression", 1: "filetype", 2: "needs_recovery", 3: "journal_dev", 4: "meta_bg", 6: "extent", 7: "64bit",
        8: "mmp", 9: "flex_bg", 10: "ea_inode", 13: "metadata_csum_seed", 14: "large_dir", 15: "inline_data",
        16: "encrypt", 17: "casefold",
      ]
    ),
    (
      0x64, "R",
      [
        0: "sparse_super", 1: "large_file", 3: "huge_file", 4: "uninit_bg", 5: "dir_nlink", 6: "extra_isize",
        8: "quota", 9: "bigalloc", 10: "metadata_csum", 12: "read-only", 13: "project", 14: "shared_blocks",
        15: "verity", 16: "orphan_present",
      ]
    ),
  ]

  /// Returns the features, separated by spaces, of the file system on a block device or in an image.
  ///
  /// - Returns: Nil without a readable ext2, ext3 or ext4 file system. Usually, only root can read a device.
  static func text(of path: String) -> String? {
    guard let handle = FileHandle(forReadingAtPath: path) else { return nil }
    defer { try? handle.close() }
    // The superblock begins 1,024 bytes into the file system.
    guard (try? handle.seek(toOffset: 1024)) != nil, let data = try? handle.read(upToCount: 1024), data.count == 1024
    else { return nil }
    let bytes = [UInt8](data)
    guard bytes[0x38] == 0x53, bytes[0x39] == 0xEF else { return nil }
    return sets.flatMap { offset, letter, names in
      let bits = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[offset + $1]) << (8 * UInt32($1)) }
      return (0..<32).filter { bits >> UInt32($0) & 1 == 1 }.map { names[$0] ?? "FEATURE_\(letter)\($0)" }
    }
    .joined(separator: " ")
  }
}
