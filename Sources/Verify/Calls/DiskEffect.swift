/// The effect of a system call on a disk. The values of type `UInt64` identify files.
@_spi(Lab) public enum DiskEffect: Sendable {
  case write(UInt64, at: Int, [UInt8])
  /// The growth of a file by a write. After a power cut, the file may have the new length without the written bytes.
  case grow(UInt64, to: Int)
  case resize(UInt64, to: Int)
  case link(String, UInt64)
  case unlink(String, UInt64)
  case rename(String, String, UInt64)
  case exchange(String, String)
  case makeDirectory(String)
  case removeDirectory(String)
  /// The creation of a file's inode. This change can reach the disk without the file's name.
  case allocate(UInt64)
  /// The release of a removed file's inode. This change can reach the disk without the removal of the name.
  case free(UInt64)
}

extension LoggedCall {
  /// Returns the effects of this call on a disk. A write has an effect only if it wrote bytes.
  ///
  /// - Parameters:
  ///   - file: The number of the call's file; nil if no earlier call has created it.
  ///   - fileLength: The length of that file in bytes.
  /// - Throws: ``CallLogError`` if the call needs an existing file and there is none.
  func effects(on file: UInt64?, length fileLength: Int?) throws -> [DiskEffect] {
    func known() throws -> (file: UInt64, length: Int) {
      if let file, let fileLength { return (file, fileLength) }
      throw CallLogError(
        "the log of calls has the call '\(kind.rawValue)' on \(name), a file that no earlier call has created")
    }
    func resized(_ newLength: (_ length: Int) -> Int) throws -> [DiskEffect] {
      let (file, length) = try known()
      return newLength(length) == length ? [] : [.resize(file, to: newLength(length))]
    }
    switch kind {
    case .write: return data.isEmpty ? [] : [.write(try known().file, at: Int(offset), data)]
    case .create: return [.link(name, file ?? 0)]
    case .open where truncates: return try resized { _ in 0 }
    case .truncate: return try resized { _ in Int(offset) }
    case .allocate: return try resized { max($0, Int(offset + length)) }
    case .rename:
      let file = try known().file
      if offset & 2 != 0 { return [.exchange(name, otherName)] }
      // The log has an empty new name for a path outside the directory.
      return otherName.isEmpty ? [.unlink(name, file)] : [.rename(name, otherName, file)]
    case .link: return [.link(otherName, try known().file)]
    case .unlink: return [.unlink(name, file ?? 0)]
    case .makeDirectory: return [.makeDirectory(name)]
    case .removeDirectory: return [.removeDirectory(name)]
    default: return []
    }
  }
}
