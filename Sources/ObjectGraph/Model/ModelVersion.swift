import Foundation

extension ManagedObjectModel {
  /// The hash of each entity, by the entity's name. Models with equal hashes can open the same store, even if defaults
  /// or rules differ.
  package var versionHashes: [String: Data] {
    Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0.versionHash) })
  }
}

extension Entity {
  var versionHash: Data {
    var parts = ["entity \(name)"]
    parts += description.attributes.sorted { $0.name < $1.name }.map {
      "attribute \($0.name) \($0.type.rawValue) \($0.isOptional)"
        + ($0.allowsExternalBinaryDataStorage ? " external" : "")
    }
    parts += description.relationships.sorted { $0.name < $1.name }.map {
      "relationship \($0.name) \($0.destination) \($0.inverse ?? "") \($0.isToMany) \($0.isOptional)"
    }
    parts += description.uniquenessConstraints.map { "unique \($0.joined(separator: ","))" }.sorted()
    parts += description.indexes.map { "index \($0.joined(separator: ","))" }.sorted()
    return withUnsafeBytes(of: UInt64(hashing: parts.joined(separator: "\n").utf8).bigEndian) { Data($0) }
  }
}

extension UInt64 {
  /// Creates the 64-bit FNV-1a hash of bytes. The hash detects accidental changes, but not attacks.
  init(hashing bytes: some Sequence<UInt8>) {
    self = bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
