import Foundation

/// The features that are enabled in an ext2, ext3 or ext4 file system, by their names in e2fsprogs.
///
/// Source: "Ext4 Disk Layout", <https://docs.kernel.org/filesystems/ext4/super.html>.
enum Ext4Features {
  /// The byte offsets of the superblock's three feature sets, with the names of their bits; - for one without a name.
  private static let sets = [
    (
      offset: 0x5C, letter: "C",
      names: "dir_prealloc imagic_inodes has_journal ext_attr resize_inode dir_index - - - sparse_super2 fast_commit "
        + "stable_inodes orphan_file"
    ),
    (
      0x60, "I",
      "compression filetype needs_recovery journal_dev meta_bg - extent 64bit mmp flex_bg ea_inode - - "
        + "metadata_csum_seed large_dir inline_data encrypt casefold"
    ),
    (
      0x64, "R",
      "sparse_super large_file - huge_file uninit_bg dir_nlink extra_isize - quota bigalloc metadata_csum - read-only "
        + "project shared_blocks verity orphan_present"
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
      let names = names.split(separator: " ")
      return (0..<32).filter { bytes[offset + $0 / 8] >> ($0 % 8) & 1 == 1 }.map { bit in
        bit < names.count && names[bit] != "-" ? String(names[bit]) : "FEATURE_\(letter)\(bit)"
      }
    }
    .joined(separator: " ")
  }
}
