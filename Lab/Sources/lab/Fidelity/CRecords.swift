import CBaseline
import StorageContract

/// Records for C: pointers to bytes that this object owns.
final class CRecords {
  let records: [cb_record]
  private var owned: [UnsafeMutableRawPointer] = []

  init(_ source: [Record]) {
    var owned: [UnsafeMutableRawPointer] = []
    func keep(_ bytes: some Collection<UInt8>) -> UnsafeRawPointer {
      let copy = UnsafeMutableRawPointer.allocate(byteCount: max(1, bytes.count), alignment: 8)
      UnsafeMutableRawBufferPointer(start: copy, count: bytes.count).copyBytes(from: bytes)
      owned.append(copy)
      return UnsafeRawPointer(copy)
    }
    records = source.map { record in
      cb_record(
        id: record.id, score: record.score, modified: record.modified, name: keep(record.name.utf8),
        name_size: record.name.utf8.count, group: keep(record.group.utf8), group_size: record.group.utf8.count,
        payload: keep(record.payload), payload_size: record.payload.count)
    }
    self.owned = owned
  }

  deinit { owned.forEach { $0.deallocate() } }
}

extension cb_record {
  /// The same Swift values as those of the adapters, built by hand from the C pointers.
  var record: Record {
    Record(
      id: id, name: String(decoding: UnsafeRawBufferPointer(start: name, count: name_size), as: UTF8.self),
      group: String(decoding: UnsafeRawBufferPointer(start: group, count: group_size), as: UTF8.self), score: score,
      modified: modified, payload: [UInt8](UnsafeRawBufferPointer(start: payload, count: payload_size)))
  }
}
