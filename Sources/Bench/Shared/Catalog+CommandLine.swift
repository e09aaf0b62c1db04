import StorageContract
import StorageTrial

extension Catalog {
  /// The backends and workloads of this process. The catalog is not passed to commands, because the argument parser
  /// creates the commands.
  @TaskLocal static var current = Catalog(backends: [], workloads: [])

  func backendSpec(_ text: String) throws -> Spec {
    let parts = Self.parts(text)
    let description = try backend(parts[0]).description
    let options = try Options(
      parsing: Array(parts.dropFirst()), specs: description.options, owner: "backend \(description.id)")
    if let loaded = description.loaded(options), loaded.isMistake, let obstacle = loaded.obstacle {
      throw UsageError("backend \(description.id): \(obstacle)")
    }
    return Spec(id: description.id, options: options)
  }

  func workloadSpec(_ text: String) throws -> Spec {
    let parts = Self.parts(text)
    let description = try workloadType(parts[0]).description
    let options = try Options(
      parsing: Array(parts.dropFirst()), specs: description.options, owner: "workload \(description.id)")
    try description.check(options)
    return Spec(id: description.id, options: options)
  }

  func backendSpecs(_ text: String) throws -> [Spec] {
    try UsageError.naming("--backend", text, Self.list).flatMap { item -> [Spec] in
      if item == "all" { return backends.map { Spec(id: $0.description.id) } }
      let parts = Self.parts(item)
      return try Self.matches(parts[0], "backend", among: backends.map { $0.description.id }).map {
        try backendSpec(([$0] + parts.dropFirst()).joined(separator: ":"))
      }
    }.unique
  }

  /// Returns the ids that match a pattern; of a text without wildcards, the text itself.
  private static func matches(_ pattern: String, _ kind: String, among ids: [String]) throws -> [String] {
    guard Glob.isPattern(pattern) else { return [pattern] }
    let found = ids.filter(Glob(pattern).matches)
    guard !found.isEmpty else {
      throw UsageError("no \(kind) matches '\(pattern)'; there are: \(ids.joined(separator: ", "))")
    }
    return found
  }

  func workloadSpecs(_ text: String) throws -> [Spec] {
    try UsageError.naming("--workload", text, Self.list).flatMap { item in
      try Self.matches(item, "workload", among: workloads.map { $0.description.id }).map(workloadSpec)
    }.unique
  }

  func defaultBackends(withFloors: Bool = false) -> [Spec] {
    backends.filter { $0.description.isDefault && (withFloors || !$0.isFloor) }.map { Spec(id: $0.description.id) }
  }

  static var defaultNames: String { current.defaultBackends().map { "'\($0)'" }.joined(separator: ", ") }

  static var defaultList: String { current.defaultBackends().map(\.description).joined(separator: ",") }

  private static func parts(_ text: String) -> [String] {
    text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
  }

  @Sendable static func list(_ text: String) throws -> [String] {
    let items = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard items.allSatisfy({ !$0.isEmpty }) else {
      throw UsageError("'\(text)' has an empty item; separate items by single commas")
    }
    return items
  }
}

extension StorageBackend {
  /// Whether the backend is a floor (a lower bound for times): with default settings, it reports a save as done before
  /// writing to a file.
  static var isFloor: Bool { promise(.shipped, Options()) == .level(.volatile) }
}
