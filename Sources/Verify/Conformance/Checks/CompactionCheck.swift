import StorageContract

/// A check that compaction, which gives back unused space in the files, keeps all records.
struct CompactionCheck: CapabilityCheck {
  static let id = "compaction"
  static let promise = "compaction keeps every record, natively and emulated"
  static let capability = Capability.compacting

  static func script(_ store: any StorageBackend, _ subject: CheckSubject, _ transcript: inout Transcript) throws {
    let compacting = Capability.compacting(of: store, in: subject.environment()).value
    try compacting.compact()
    transcript.note("empty: \(try store.count(in: .records))")
    try store.commit(SampleRecords.filler(0..<100, bytes: 1_000))
    try store.commit([.put(SampleRecords.record(1), in: CheckSubject.second)])
    try store.commit((0..<90).map { .delete($0) })
    try compacting.compact()
    transcript.note("after", try store.records(.all, in: .records))
    try store.commit([.put(SampleRecords.record(3, "later"))])
    try compacting.compact()
    transcript.note("after that", try store.records(.all, in: .records))
    transcript.note("elsewhere", try store.records(.all, in: CheckSubject.second))
  }
}
