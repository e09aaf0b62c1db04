/// The rules for names and inodes on ext4 without a journal, after e2fsck. Each directory block and inode reaches the
/// disk separately. The first sync of a file with a new name also syncs its directory (`ext4_sync_parent` in
/// fs/ext4/fsync.c). Extent blocks and reused blocks are not modeled.
struct JournallessMetadata: Sendable {
  /// The size in bytes up to which the entries of a directory are assumed to be in one block. Larger directories may
  /// have two half-full blocks.
  private static let oneBlock = 2_048

  /// The files that got a new name by a creation, link or rename, and have not been synced since. The numbers identify
  /// the files.
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

  /// Splits each effect into parts that reach the disk separately, such as the inode and the name of a new file.
  mutating func split(_ effects: [DiskEffect], _ files: ReplayedFiles) -> [DiskEffect] {
    effects.flatMap { effect -> [DiskEffect] in
      switch effect {
      case .link(_, let file):
        newFiles.insert(file)
        return files.length(of: file) == nil ? [.allocate(file), effect] : [effect]
      case .unlink(let name, _):
        return [effect] + freed(by: name, files)
      case .rename(let name, let other, let file):
        // Only a new entry in a directory counts: `ext4_add_entry` in fs/ext4/namei.c sets `EXT4_STATE_NEWENTRY`.
        if files.names[other] == nil { newFiles.insert(file) }
        let directory = DiskChange.directory(of: name)
        let isOne = directory == DiskChange.directory(of: other) && Self.isOneBlock(directory, files)
        return (isOne ? [effect] : [.link(other, file), .unlink(name, file)]) + freed(by: other, files, keeping: file)
      case .makeDirectory(let name):
        newDirectories.insert(name)
        return [effect]
      default: return [effect]
      }
    }
  }

  private func freed(by name: String, _ files: ReplayedFiles, keeping kept: UInt64? = nil) -> [DiskEffect] {
    guard let file = files.names[name], file != kept else { return [] }
    return files.names.contains { $0.value == file && $0.key != name } ? [] : [.free(file)]
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
