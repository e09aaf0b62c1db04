/// The file system that `run --device` creates in an image file, to count the bytes that reach a block device.
public enum DeviceKind: String, Sendable, Codable, CaseIterable {
  case ext4
  case ext4NoJournal = "ext4-no-journal"
  case xfs
  case btrfs
}
