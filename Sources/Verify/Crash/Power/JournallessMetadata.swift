/// The rules for names and inodes on ext4 without a journal, after e2fsck. Each directory block and inode reaches the
/// disk separately. The first sync of a file with a new name also syncs its directory (`ext4_sync_parent` in
/// fs/ext4/fsync.c).
struct JournallessMetadata: Sendable {
  /// The size of a directory's entries, in bytes, up to which one block is assumed: half a block, because full blocks
  /// are split.
  private static let oneBlock = 2_048

  /// The numbers of the files with a new name, by creation, link or rename, that were not synced afterwards.
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

  /// Splits effects into changes that reach the disk separately: the creation of a file becomes a new inode and a new
  /// name.
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
