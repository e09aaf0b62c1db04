/// The immutable values of one object, as last read or written. Version and values share one allocation.
struct Row: RandomAccessCollection, @unchecked Sendable {
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

  /// The version of the row (Z_OPT): 1 for a new row, incremented by each saved change.
  var version: Int64 { header.version }

  @inline(__always)
  private var header: Header { storage.withUnsafeMutablePointerToHeader { $0.pointee } }

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

  var startIndex: Int { 0 }
  var endIndex: Int { header.count }

  subscript(index: Int) -> Value {
    storage.withUnsafeMutablePointers { header, values in
      precondition(index >= 0 && index < header.pointee.count, "a row has no value at this place")
      return values[index]
    }
  }
}
