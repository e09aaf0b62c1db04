/// The rules for the file names and inodes that a power cut may lose on ext4 without a journal. An inode is the entry
/// for a file's length and blocks. The rules describe the disk after a repair by the file system check e2fsck.
///
/// Each directory block and each inode reaches the disk separately:
///
/// - In a directory with one block, names reach the disk in the order of their changes. With several blocks, names
///   reach the disk in any order, and a rename from one block to another may be half done.
/// - A name may reach the disk without the inode of its file; e2fsck then removes the name. A new file may therefore be
///   missing although its directory was synced. A rename over an existing file may leave neither file. An inode may
///   also reach the disk without its name.
/// - The first sync of a file with a new name also syncs all names in its directory. If the directory is new, the names
///   in its parent directory are synced, too, and so on upwards. A rename over an existing file gives no new name.
///
/// The last rule is in Linux: `ext4_sync_parent` in fs/ext4/fsync.c, and `ext4_add_entry` in fs/ext4/namei.c, which
/// sets the flag `EXT4_STATE_NEWENTRY` for new names.
///
/// Extent blocks, and blocks that another file reuses, are not modeled.
struct JournallessMetadata: Sendable {
  /// The size of a directory's entries, in bytes, up to which the directory is assumed to have only one block. It is
  /// half of a block, because a full block is split into two.
  private static let oneBlock = 2_048

  /// The numbers of the files that have received a new name, by creation, link or rename, and were not synced
  /// afterwards. Each number identifies one file, like an inode number.
  private var newFiles: Set<UInt64> = []
  private var newDirectories: Set<String> = []

  static func block(of change: DiskChange) -> MetadataBlock? {
    switch change.effect {
    case .resize(let file, _), .allocate(let file), .free(let file): .inode(file)
    default: change.isAlone ? nil : change.directory.map(MetadataBlock.directory)
    }
  }

  static func isOneBlock(_ directory: String, _ files: ReplayedFiles) -> Bool {
    let names = files.names.keys.filter { DiskChange.directory(of: $0) == directory }
    return names.reduce(0) { $0 + 12 + $1.utf8.count - directory.utf8.count } <= oneBlock
  }

  /// Splits the effects of a system call into changes, each of which may reach the disk without the others. For
  /// example, the creation of a file becomes a new inode and a new name.
  mutating func split(_ effects: [DiskChange.Effect], _ files: ReplayedFiles) -> [DiskChange.Effect] {
    effects.flatMap { effect -> [DiskChange.Effect] in
      switch effect {
      case .link(_, let file):
        newFiles.insert(file)
        return files.length(of: file) == nil ? [.allocate(file), effect] : [effect]
      case .unlink(let name, _):
        return [effect] + freed(by: [name], files)
      case .rename(let name, let other, let file):
        if files.names[other] == nil { newFiles.insert(file) }
        let directory = DiskChange.directory(of: name)
        let isOne = directory == DiskChange.directory(of: other) && Self.isOneBlock(directory, files)
        return (isOne ? [effect] : [.link(other, file), .unlink(name, file)]) + freed(by: [other], files, keeping: file)
      case .makeDirectory(let name):
        newDirectories.insert(name)
        return [effect]
      default: return [effect]
      }
    }
  }

  private func freed(
    by names: Set<String>, _ files: ReplayedFiles, keeping kept: UInt64? = nil
  ) -> [DiskChange.Effect] {
    Set(names.compactMap { files.names[$0] }).filter { file in
      file != kept && !files.names.contains { $0.value == file && !names.contains($0.key) }
    }.map { .free($0) }
  }

  mutating func directories(syncedWith file: UInt64, _ files: ReplayedFiles) -> Set<String> {
    guard newFiles.remove(file) != nil, let name = files.names.first(where: { $0.value == file })?.key else {
      return []
    }
    let directory = DiskChange.directory(of: name)
    return directories(syncedWith: directory).union([directory])
  }

  mutating func directories(syncedWith directory: String) -> Set<String> {
    var (directories, below): (Set<String>, String) = ([], directory)
    while newDirectories.remove(below) != nil {
      below = DiskChange.directory(of: below)
      directories.insert(below)
    }
    return directories
  }
}
