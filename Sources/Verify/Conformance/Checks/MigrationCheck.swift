import StorageContract

/// A check that an attribute (a new field) can be added to existing records, and that the attribute's values persist.
struct MigrationCheck: CapabilityCheck {
  static let id = "migrations"
  static let promise = "an added attribute gives the same natively and emulated, and stays"
  static let capability = Capability.migrating

  private static func attributes() throws -> (capital: AddedAttribute, note: AddedAttribute) {
    (try AddedAttribute("capital", defaultValue: "unknown '名'"), try AddedAttribute("note", defaultValue: ""))
  }

  static func script(_ store: any StorageBackend, _ subject: CheckSubject, _ transcript: inout Transcript) throws {
    let migrating = Capability.migrating(of: store).value
    try store.commit((0..<12).map { .put(SampleRecords.record($0, "record \($0)")) })
    try store.commit([.put(SampleRecords.record(1), in: CheckSubject.second)])
    let (capital, note) = try attributes()
    try migrating.add(capital, in: .records)
    try show(capital, of: migrating, &transcript)
    transcript.note("set: \(try migrating.set(capital, to: "Tōkyō\0", of: 3, in: .records))")
    transcript.note("set of an absent record: \(try migrating.set(capital, to: "nowhere", of: 99, in: .records))")
    try migrating.add(capital, in: .records)
    try migrating.add(note, in: .records)
    transcript.note("second set: \(try migrating.set(note, to: "x", of: 3, in: .records))")
    // This commit does not mention the attributes, like one of an older version of the app.
    try store.commit([.put(SampleRecords.record(50, "later")), .delete(5)])
    try show(capital, of: migrating, &transcript)
    try show(note, of: migrating, &transcript)
    transcript.note("value: \(try migrating.value(of: capital, for: 3) ?? "none")")
    transcript.note("value of an absent record: \(try migrating.value(of: capital, for: 5) ?? "none")")
    transcript.note("count: \(try store.count(in: .records))")
    transcript.note("elsewhere", try store.records(.all, in: CheckSubject.second))
  }

  static func look(_ store: any StorageBackend, _ transcript: inout Transcript) throws {
    let migrating = Capability.migrating(of: store).value
    let (capital, note) = try attributes()
    for attribute in [capital, note] {
      try migrating.add(attribute, in: .records)
      try show(attribute, of: migrating, &transcript)
    }
    transcript.note("set: \(try migrating.set(capital, to: "later", of: 50, in: .records))")
    try show(capital, of: migrating, &transcript)
    let remark = try AddedAttribute("remark", defaultValue: "")
    for change in [
      .drop(capital, byRebuild: false), .rename(note, to: remark), .add(capital), .drop(capital, byRebuild: true),
      .split(into: CheckSubject.second),
    ] as [SchemaChange] {
      // A change that was already made changes nothing.
      for _ in 0..<2 { try migrating.change(change, in: .records) }
      transcript.note("attributes: \(try migrating.attributes(in: .records).sorted())")
      try show(change == .drop(capital, byRebuild: false) ? note : remark, of: migrating, &transcript)
    }
    transcript.note("elsewhere", try store.records(.all, in: CheckSubject.second))
  }

  private static func show(
    _ attribute: AddedAttribute, of migrating: any Migrating, _ transcript: inout Transcript
  ) throws {
    try migrating.scan(.all, with: attribute, in: .records) { view, value in
      transcript.note("\(Transcript.text(view.record())) has \(attribute.name) \(value)")
      return true
    }
  }
}
