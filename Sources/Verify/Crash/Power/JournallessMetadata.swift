/// The metadata of ext4 without a journal, as e2fsck leaves it after a power cut.
///
/// Without a journal, directory blocks and inodes are written separately by ordinary writeback:
///
/// - A directory of one block has, on the disk, the names of some earlier moment, so its names become durable in order.
///   Names in different directories, or in a directory of several blocks, become durable in any order. If the two names
///   of a rename are in different blocks, the rename may be half done.
/// - A file's inode can reach the disk without its name, and the name without the inode. e2fsck removes a name whose
///   inode is not in use. A new file may therefore be missing although its directory was synced. A rename over an
///   existing file may leave neither file, because the old file can disappear before the name changes.
/// - The first sync of a file with a new name includes the names of its directory, and those of new parent directories
///   (Linux, fs/ext4/fsync.c, `ext4_sync_parent`; fs/ext4/namei.c, `ext4_add_entry`, sets `EXT4_STATE_NEWENTRY`). A
///   rename over an existing file does not set this flag.
///
/// Extent blocks and blocks that another file reuses are not modelled.
struct JournallessMetadata: Sendable {
  /// The maximum size of a directory's entries, in bytes, up to which the directory is assumed to have one block. It is
  /// half of the block size of 4,096, because a full block is split into two.
  private static let oneBlock = 2_048

  /// The files with a name that is newer than their last sync. ``newDirectories`` are the directories with such a name.
  private var newFiles: Set<UInt64> = []
  private var newDirectories: Set<String> = []

  static func block(of change: DiskChange) -> MetadataBlock? {
    switch change.effect {
    case .resize(let file, _), .allocate(let file), .free(let file): .inode(file)
    default: change.isAlone ? nil : change.directory.map(MetadataBlock.directory)
    }
  }

  static func isOneBlock(_ directory: String, _ files: DiskFiles) -> Bool {
    let names = files.names.keys.filter { DiskChange.directory(of: $0) == directory }
    return names.reduce(0) { $0 + 12 + $1.utf8.count - directory.utf8.count } <= oneBlock
  }

  /// Splits a call's effects into the changes that reach the disk separately without a journal. An inode is separate
  /// from its name. The halves of a rename are separate if the two names are in different blocks.
  mutating func split(_ effects: [DiskChange.Effect], _ files: DiskFiles) -> [DiskChange.Effect] {
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

  private func freed(by names: Set<String>, _ files: DiskFiles, keeping kept: UInt64? = nil) -> [DiskChange.Effect] {
    Set(names.compactMap { files.names[$0] }).filter { file in
      file != kept && !files.names.contains { $0.value == file && !names.contains($0.key) }
    }.map { .free($0) }
  }

  mutating func directories(syncedWith file: UInt64, _ files: DiskFiles) -> Set<String> {
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
