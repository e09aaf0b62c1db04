import Contract

/// An attribute is added to records that are there, and stays.
struct MigrationCheck: CapabilityCheck {
  static let id = "migrations"
  static let promise = "an added attribute gives the same natively and emulated"

  static func script(
    _ type: any StorageBackend.Type, _ environment: StoreEnvironment, _ transcript: inout Transcript
  ) throws {
    let store = try type.init(opening: environment)
    let migrating = Capability.migrating(of: store).value
    try store.commit((0..<12).map { .put(Samples.record($0, "record \($0)")) })
    try store.commit([.put(Samples.record(1), in: CheckSubject.second)])
    let capital = try Attribute("capital", defaultValue: "unknown '名'")
    let note = try Attribute("note", defaultValue: "")
    func show(_ attribute: Attribute) throws {
      try migrating.scan(.all, with: attribute, in: .records) { view, value in
        transcript.note("\(Transcript.text(view.record())) has \(attribute.name) \(value)")
        return true
      }
    }
    try migrating.add(capital, in: .records)
    try show(capital)
    transcript.note("set: \(try migrating.set(capital, to: "Tōkyō\0", of: 3, in: .records))")
    transcript.note("set of an absent record: \(try migrating.set(capital, to: "nowhere", of: 99, in: .records))")
    // Again, and another one beside it.
    try migrating.add(capital, in: .records)
    try migrating.add(note, in: .records)
    transcript.note("second set: \(try migrating.set(note, to: "x", of: 3, in: .records))")
    // By code that does not know the attributes.
    try store.commit([.put(Samples.record(50, "later")), .delete(5)])
    try show(capital)
    try show(note)
    transcript.note("value: \(try migrating.value(of: capital, for: 3) ?? "none")")
    transcript.note("value of an absent record: \(try migrating.value(of: capital, for: 5) ?? "none")")
    transcript.note("count: \(try store.count(in: .records))")
    transcript.note("elsewhere", try store.records(.all, in: CheckSubject.second))
    try store.close()
  }
}
