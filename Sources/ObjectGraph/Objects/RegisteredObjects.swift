/// The objects of a context by their permanent IDs, for as long as somebody else holds them: a hash table with linear
/// probing.
///
/// A table of our own because a fetch enters every object here: a Dictionary's hashing and its growth cost as much as
/// reading the row. Objects that are gone are swept out when there is no more room.
struct RegisteredObjects {
  private struct Entry {
    weak var object: ManagedObject?
  }

  /// The entity and key in each slot, 0 where it is free. Their number is a power of two, of which at most half is
  /// used.
  private var keys: [UInt64] = []
  private var entries: [Entry] = []
  private var used = 0

  /// The object of an ID.
  subscript(id: ManagedObjectID) -> ManagedObject? {
    guard used > 0 else { return nil }
    let key = Self.key(id)
    var place = start(key)
    while keys[place] != 0 {
      // Stores may have the same keys.
      if keys[place] == key, let object = entries[place].object, object.objectID == id { return object }
      place = (place + 1) & (keys.count - 1)
    }
    return nil
  }

  /// Enters an object under its ID.
  mutating func insert(_ object: ManagedObject) {
    if (used + 1) * 2 > keys.count { resize(for: 1) }
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
      place = (place + 1) & (keys.count - 1)
    }
    keys[place] = key
    entries[place].object = object
    used += 1
  }

  /// Lets go of the object of an ID.
  mutating func remove(_ id: ManagedObjectID) {
    guard used > 0 else { return }
    let key = Self.key(id)
    var place = start(key)
    while keys[place] != 0 {
      if keys[place] == key, entries[place].object?.objectID == id { entries[place].object = nil }
      place = (place + 1) & (keys.count - 1)
    }
  }

  /// Makes room for as many objects, so that the table does not grow step by step. What is fetched has often been here
  /// before, and takes its old places.
  mutating func reserve(_ count: Int) {
    if count * 2 >= keys.count { resize(for: count) }
  }

  /// All that are still there.
  var elements: [ManagedObject] {
    var elements: [ManagedObject] = []
    // In place: to copy an entry out of the table would make another weak reference.
    entries.withUnsafeBufferPointer { entries in
      for place in keys.indices where keys[place] != 0 {
        if let object = entries[place].object { elements.append(object) }
      }
    }
    return elements
  }

  mutating func removeAll() { self = RegisteredObjects() }

  private static func key(_ id: ManagedObjectID) -> UInt64 {
    // Keys count up from 1: the upper bits are free for the entity.
    UInt64(bitPattern: id.key) ^ UInt64(id.entity.number) << 48
  }

  /// Fibonacci hashing spreads keys that count up.
  private func start(_ key: UInt64) -> Int {
    Int(truncatingIfNeeded: (key &* 0x9e37_79b9_7f4a_7c15) >> 20) & (keys.count - 1)
  }

  private mutating func resize(for more: Int) {
    let living = elements
    var size = 64
    while size < (living.count + more) * 3 { size *= 2 }
    if size == keys.count {
      for place in keys.indices where keys[place] != 0 {
        keys[place] = 0
        entries[place].object = nil
      }
    } else {
      keys = Array(repeating: 0, count: size)
      entries = Array(repeating: Entry(), count: size)
    }
    used = 0
    for object in living { insert(object) }
  }
}
