import Foundation

/// The identity of an object: its store, entity and key (Z_PK). IDs can be passed to other threads. A new object has a
/// temporary ID, valid only in its context.
public struct ManagedObjectID: Sendable {
  /// The entity of the object.
  public let entity: Entity
  let origin: StoreIdentifier
  /// The primary key (Z_PK) of the object's row. Negative in a temporary ID.
  let key: Int64

  /// Whether the ID is temporary, because the object has not been saved yet.
  public var isTemporary: Bool { key < 0 }

  /// The ID as a URI, such as `x-coredata://<UUID of the store>/Students/p12`. A temporary ID ends with `t12` instead
  /// of `p12`.
  public var uriRepresentation: URL {
    // The URL is always valid, because it consists of UUIDs, names and numbers.
    URL(string: description).unsafelyUnwrapped
  }
}

extension ManagedObjectID: Hashable {
  @inline(__always)
  public static func == (left: Self, right: Self) -> Bool {
    left.key == right.key && left.entity === right.entity && left.origin == right.origin
  }

  public func hash(into hasher: inout Hasher) {
    // The store is not hashed, because several stores under one coordinator are rare.
    hasher.combine(key &* 1024 &+ Int64(entity.number))
  }
}

extension ManagedObjectID: CustomStringConvertible {
  public var description: String {
    "x-coredata://\(origin.uuid.uuidString)/\(entity.name)/\(isTemporary ? "t\(-key)" : "p\(key)")"
  }
}

extension ManagedObjectID {
  /// Returns whether `left` precedes `right` in the order by entity, then by key. This fixed order makes equal saves
  /// write equal bytes.
  static func isOrdered(_ left: Self, _ right: Self) -> Bool {
    left.entity.number == right.entity.number ? left.key < right.key : left.entity.number < right.entity.number
  }
}

/// The UUID of a store as two 64-bit numbers, for fast comparisons.
struct StoreIdentifier: Hashable, Sendable {
  private let high: UInt64
  private let low: UInt64

  init(_ uuid: UUID) {
    (high, low) = withUnsafeBytes(of: uuid.uuid) {
      ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
  }

  func precedes(_ other: StoreIdentifier) -> Bool {
    (high.bigEndian, low.bigEndian) < (other.high.bigEndian, other.low.bigEndian)
  }

  var uuid: UUID {
    withUnsafeBytes(of: (high, low)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}
