/// The objects of a context by their permanent IDs, for as long as somebody else holds them: a hash table with linear
/// probing.
///
/// A table of our own because a fetch enters every object here: a Dictionary's hashing and its growth cost as much as
/// reading the row. It lies behind pointers because an array's weak reference is copied to be read, which costs as much
/// as the rest. Objects that are gone are swept out when there is no more room.
final class RegisteredObjects {
  private struct Entry {
    weak var object: ManagedObject?
  }

  /// The entity and key in each slot, 0 where it is free. Their number is a power of two, of which at most half is
  /// used.
  private var keys: UnsafeMutablePointer<UInt64>
  /// The object in each slot; initialized where the slot is used.
  private var entries: UnsafeMutablePointer<Entry>
  private var size = 0
  private var used = 0

  init() { (keys, entries) = (.allocate(capacity: 0), .allocate(capacity: 0)) }

  deinit { deallocate() }

  /// The object of an ID.
  subscript(id: ManagedObjectID) -> ManagedObject? {
    guard used > 0 else { return nil }
    let key = Self.key(id)
    var place = start(key)
    while keys[place] != 0 {
      // Stores may have the same keys.
      if keys[place] == key, let object = entries[place].object, object.objectID == id { return object }
      place = (place + 1) & (size - 1)
    }
    return nil
  }

  /// Enters an object under its ID.
  func insert(_ object: ManagedObject) {
    if (used + 1) * 2 > size { resize(for: 1) }
    let key = Self.key(object.objectID)
    var place = start(key)
    while keys[place] != 0 {
      if keys[place] == key {
        let former = entries[place].object
        if former == nil || former?.objectID == object.objectID {
          entries[place].object = object
          return
        }
      }
      place = (place + 1) & (size - 1)
    }
    keys[place] = key
    (entries + place).initialize(to: Entry(object: object))
    used += 1
  }

  /// Releases the object of an ID.
  func remove(_ id: ManagedObjectID) {
    guard used > 0 else { return }
    let key = Self.key(id)
    var place = start(key)
    while keys[place] != 0 {
      if keys[place] == key, entries[place].object?.objectID == id { entries[place].object = nil }
      place = (place + 1) & (size - 1)
    }
  }

  /// All that are still there.
  var elements: [ManagedObject] {
    (0..<size).compactMap { keys[$0] == 0 ? nil : entries[$0].object }
  }

  /// Releases all objects.
  func removeAll() {
    deallocate()
    (keys, entries) = (.allocate(capacity: 0), .allocate(capacity: 0))
    (size, used) = (0, 0)
  }

  private static func key(_ id: ManagedObjectID) -> UInt64 {
    // Keys count up from 1: the upper bits are free for the entity. A key that a URI or a file made by others names may
    // be any number: two IDs may come to the same here, as those of two stores do, but none may look like a free slot.
    let key = UInt64(bitPattern: id.key) ^ UInt64(id.entity.number) << 48
    return key == 0 ? .max : key
  }

  /// Eight keys that follow each other lie side by side, in one line of the cache; Fibonacci hashing spreads the rest.
  private func start(_ key: UInt64) -> Int {
    Int(truncatingIfNeeded: (((key >> 3) &* 0x9e37_79b9_7f4a_7c15) >> 17) & ~7 | key & 7) & (size - 1)
  }

  /// Makes room for objects that are about to be entered.
  func reserve(_ count: Int) {
    if (used + count) * 2 > size { resize(for: count) }
  }

  /// Moves those that are still there to a table with room for twice as many and some more.
  private func resize(for count: Int) {
    var living = 0
    for place in 0..<size where keys[place] != 0 && entries[place].object != nil { living += 1 }
    let (oldKeys, oldEntries, oldSize) = (keys, entries, size)
    size = 64
    while size < (living + count) * 4 { size *= 2 }
    keys = .allocate(capacity: size)
    keys.initialize(repeating: 0, count: size)
    entries = .allocate(capacity: size)
    used = 0
    for old in 0..<oldSize where oldKeys[old] != 0 {
      guard oldEntries[old].object != nil else {
        (oldEntries + old).deinitialize(count: 1)
        continue
      }
      var place = start(oldKeys[old])
      while keys[place] != 0 { place = (place + 1) & (size - 1) }
      keys[place] = oldKeys[old]
      (entries + place).moveInitialize(from: oldEntries + old, count: 1)
      used += 1
    }
    oldKeys.deallocate()
    oldEntries.deallocate()
  }

  private func deallocate() {
    for place in 0..<size where keys[place] != 0 { (entries + place).deinitialize(count: 1) }
    keys.deallocate()
    entries.deallocate()
  }
}
