import StorageContract

/// A check that a backend's description has all texts, that each option changes a store's reported settings, and that
/// each durability reaches its required safety level.
struct DescriptionCheck: ConformanceCheck {
  static let id = "description"
  static let promise = "the description is complete, and options show in the settings"
  static let steps: Steps = [check]
  static let dependsOnOptions = false

  static func exemption(_ subject: CheckedBackend) -> String? { nil }

  @Sendable private static func check(_ subject: CheckSubject) throws {
    let type = subject.backend.type
    let description = type.description
    let reserved = Set(":,/*?= ")
    subject.expect(
      !description.id.isEmpty && !description.id.contains(where: reserved.contains),
      "the id '\(description.id)' is empty or holds one of : , / * ? = or a space")
    subject.expect(!description.summary.isEmpty, "the summary is empty")
    subject.expect(
      isSentence(description.safety), "safety is not one sentence with a full stop: '\(description.safety)'")
    subject.expect(!description.engineVersion().isEmpty, "the engine has no version")
    for deviation in description.deviations(subject.backend.options) {
      subject.expect(isSentence(deviation.sentence), "a deviation is not told in one sentence: '\(deviation.sentence)'")
    }
    for durability in Durability.allCases {
      switch type.promise(durability, subject.backend.options) {
      case .level(let level):
        if let required = durability.requiredLevel {
          subject.expect(level >= required, "asked for \(durability.rawValue) it promises \(level.rawValue)")
        }
      case .unavailable(let reason):
        subject.expect(!reason.isEmpty, "\(durability.rawValue) is refused without a reason")
      }
    }
    try options(subject)
  }

  private static func isSentence(_ text: String) -> Bool {
    text.hasSuffix(".") && text.first?.isLowercase == false && !text.dropLast().contains(". ") && !text.contains("\n")
  }

  /// Checks that each backend option changes the settings that an open store reports.
  private static func options(_ subject: CheckSubject) throws {
    let description = subject.backend.type.description
    func settings(_ texts: [String]) throws -> [String] {
      let options = try Options(parsing: texts, specs: description.options, owner: description.id)
      return try Durability.allCases.compactMap { durability in
        guard case .level = subject.backend.type.promise(durability, options) else { return nil }
        try subject.removeFiles()
        let store = try subject.backend.type.init(
          opening: StoreEnvironment(
            directory: subject.directories.store, options: options, durability: durability,
            collections: CheckSubject.collections))
        defer { try? store.close() }
        return "\(durability.rawValue): \(store.settings)"
      }
    }
    let defaults = try settings([])
    subject.expect(
      defaults.allSatisfy { !$0.hasSuffix(": ") }, "a store has no settings; say how it writes, if only in a word")
    for spec in description.options {
      for value in spec.otherValues {
        let text = "\(spec.name)=\(value)"
        let shown = try settings([text])
        subject.expect(shown != defaults, "\(text) has the same settings as the default")
      }
    }
  }
}
