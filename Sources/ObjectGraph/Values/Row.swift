/// The stored values of one object, with which its unsaved changes are compared.
///
/// A row is immutable: a save or a refresh gives the object another row. A single allocation contains a header (version
/// and number of values) and then the values. A separate array for each row would cost a tenth of the time of a fetch.
struct Row: @unchecked Sendable {
  // Sendable because the storage is immutable after its creation.
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

  /// The version of the row (Z_OPT): 1 for a new row. Each saved change increments it.
  var version: Int64 { header.version }

  /// The header of the row: its version and its number of values. It is read by pointer, because Swift would check each
  /// access to a property at run time.
  @inline(__always)
  private var header: Header { storage.withUnsafeMutablePointerToHeader { $0.pointee } }

  var values: Values { Values(row: self) }

  /// Returns `number`, a row version read from a file, or nil if it is invalid. `Int64.max` is invalid, because it
  /// cannot be incremented.
  static func version(_ number: Int64) -> Int64? { number > 0 && number < .max ? number : nil }

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
