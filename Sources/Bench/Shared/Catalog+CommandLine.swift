import StorageContract
import StorageTrial
import StorageWorkloads

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
    try UsageError.naming("--backend", text, Self.list).flatMap { item in
      item == "all" ? backends.map { Spec(id: $0.description.id) } : try matches(item) ?? [try backendSpec(item)]
    }.unique
  }

  private func matches(_ text: String) throws -> [Spec]? {
    let parts = Self.parts(text)
    guard Glob.isPattern(parts[0]) else { return nil }
    let found = backends.map { $0.description.id }.filter(Glob(parts[0]).matches)
    guard !found.isEmpty else {
      throw UsageError(
        "no backend matches '\(parts[0])'; there are: \(backends.map { $0.description.id }.joined(separator: ", "))")
    }
    return try found.map { try backendSpec(([$0] + parts.dropFirst()).joined(separator: ":")) }
  }

  func workloadSpecs(_ text: String) throws -> [Spec] {
    try UsageError.naming("--workload", text, Self.list).flatMap { item -> [Spec] in
      guard Glob.isPattern(item) else { return [try workloadSpec(item)] }
      let found = workloads.filter { Glob(item).matches($0.description.id) }
      guard !found.isEmpty else {
        throw UsageError(
          "no workload matches '\(item)'; there are: \(workloads.map { $0.description.id }.joined(separator: ", "))")
      }
      return found.map { Spec(id: $0.description.id) }
    }.unique
  }

  var defaultBackends: [Spec] { specs { $0.description.isDefault && !$0.isFloor } }

  var defaultBackendsAndFloors: [Spec] { specs { $0.description.isDefault } }

  static var defaultNames: String { current.defaultBackends.map { "'\($0)'" }.joined(separator: ", ") }

  static var defaultList: String { current.defaultBackends.map(\.description).joined(separator: ",") }

  private func specs(_ isTaken: (any StorageBackend.Type) -> Bool) -> [Spec] {
    backends.filter(isTaken).map { Spec(id: $0.description.id) }
  }

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
