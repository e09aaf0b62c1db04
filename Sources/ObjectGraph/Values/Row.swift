/// The stored values of one object: the snapshot that changes are compared with.
///
/// A row never changes; a save or a refresh gives the object another one. It is one piece of memory with its values at
/// the end: a fetch makes one for each object, and an array of values beside it would cost a tenth of the fetch.
struct Row: @unchecked Sendable {
  // Sendable because nothing changes the storage once it is made.
  private let storage: Storage

  private struct Header {
    let version: Int64
    let count: Int
  }

  private final class Storage: ManagedBuffer<Header, Value> {
    deinit {
      _ = withUnsafeMutablePointers { header, values in values.deinitialize(count: header.pointee.count) }
    }
  }

  /// Z_OPT: 1 when inserted, one more with each saved change.
  var version: Int64 { header.version }

  /// Accessed by its pointer, because no other thread changes it. Access through the property would be checked each
  /// time.
  @inline(__always)
  private var header: Header { storage.withUnsafeMutablePointerToHeader { $0.pointee } }

  /// The attributes' values, then the keys that to-one relationships point to, in ``Entity/columns``' order.
  var values: Values { Values(row: self) }

  /// Returns a version as a file tells it, or nil if it is none: the greatest number could not be counted up.
  static func version(_ number: Int64) -> Int64? { number > 0 && number < .max ? number : nil }

  /// Makes a row whose values are made one by one where they will lie.
  @inline(__always)
  init(version: Int64, count: Int, _ value: (Int) -> Value) {
    let buffer = Storage.create(minimumCapacity: count) { _ in Header(version: version, count: count) }
    buffer.withUnsafeMutablePointerToElements { values in
      for index in 0..<count { (values + index).initialize(to: value(index)) }
    }
    storage = unsafeDowncast(buffer, to: Storage.self)
  }

  init(version: Int64, values: [Value]) {
    self.init(version: version, count: values.count) { values[$0] }
  }

  /// The values of a row, where they lie.
  struct Values: RandomAccessCollection, Sendable {
    fileprivate let row: Row

    var startIndex: Int { 0 }
    var endIndex: Int { row.header.count }

    subscript(index: Int) -> Value {
      row.storage.withUnsafeMutablePointers { header, values in
        precondition(index >= 0 && index < header.pointee.count, "a row has no value at this place")
        return values[index]
      }
    }
  }
}
