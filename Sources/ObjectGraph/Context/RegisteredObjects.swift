/// A hash table of weak references to the saved objects in a context, by ID. A `Dictionary` would be too slow for
/// fetches.
final class RegisteredObjects {
  private struct Entry {
    weak var object: ManagedObject?
  }

  /// The key of each slot in the hash table, computed from the ID of the object in the slot. 0 if the slot is free.
  private var keys: UnsafeMutablePointer<UInt64>
  /// The object in each slot of the hash table. Free slots are not initialized.
  private var entries: UnsafeMutablePointer<Entry>
  private var size = 0
  private var used = 0

  init() { (keys, entries) = (.allocate(capacity: 0), .allocate(capacity: 0)) }

  deinit { deallocate() }

  subscript(id: ManagedObjectID) -> ManagedObject? {
    guard used > 0 else { return nil }
    let key = Self.key(id)
    var index = start(key)
    while keys[index] != 0 {
      // Objects of several stores may have the same key.
      if keys[index] == key, let object = entries[index].object, object.objectID == id { return object }
      index = (index + 1) & (size - 1)
    }
    return nil
  }

  func insert(_ object: ManagedObject) {
    if (used + 1) * 2 > size { resize(for: 1) }
    let key = Self.key(object.objectID)
    var index = start(key)
    while keys[index] != 0 {
      if keys[index] == key {
        let former = entries[index].object
        if former == nil || former?.objectID == object.objectID {
          entries[index].object = object
          return
        }
      }
      index = (index + 1) & (size - 1)
    }
    keys[index] = key
    (entries + index).initialize(to: Entry(object: object))
    used += 1
  }

  func remove(_ id: ManagedObjectID) {
    guard used > 0 else { return }
    let key = Self.key(id)
    var index = start(key)
    while keys[index] != 0 {
      if keys[index] == key, entries[index].object?.objectID == id { entries[index].object = nil }
      index = (index + 1) & (size - 1)
    }
  }

  var elements: [ManagedObject] {
    (0..<size).compactMap { keys[$0] == 0 ? nil : entries[$0].object }
  }

  func removeAll() {
    deallocate()
    (keys, entries) = (.allocate(capacity: 0), .allocate(capacity: 0))
    (size, used) = (0, 0)
  }

  private static func key(_ id: ManagedObjectID) -> UInt64 {
    // Keys count up from 1, so their upper 16 bits are free for the entity's number. Equal results are allowed, but 0
    // marks a free slot.
    let key = UInt64(bitPattern: id.key) ^ UInt64(id.entity.number) << 48
    return key == 0 ? .max : key
  }

  /// Returns the first slot of the hash table in which to search for a key.
  private func start(_ key: UInt64) -> Int {
    Int(truncatingIfNeeded: (((key >> 3) &* 0x9e37_79b9_7f4a_7c15) >> 17) & ~7 | key & 7) & (size - 1)
  }

  func reserve(_ count: Int) {
    if (used + count) * 2 > size { resize(for: count) }
  }

  private func resize(for count: Int) {
    let living = (0..<size).count { keys[$0] != 0 && entries[$0].object != nil }
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
      var index = start(oldKeys[old])
      while keys[index] != 0 { index = (index + 1) & (size - 1) }
      keys[index] = oldKeys[old]
      (entries + index).moveInitialize(from: oldEntries + old, count: 1)
      used += 1
    }
    oldKeys.deallocate()
    oldEntries.deallocate()
  }

  private func deallocate() {
    for index in 0..<size where keys[index] != 0 { (entries + index).deinitialize(count: 1) }
    keys.deallocate()
    entries.deallocate()
  }
}
