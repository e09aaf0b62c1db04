/// An engine that a backend loads at run time because of its options, such as another version of a library.
public struct LoadedEngine: Sendable {
  /// The engine's name and version, with enough detail to tell two builds apart.
  public var version = ""
  /// The compile options that the engine reports.
  public var compileOptions = ""
  /// The path of the file that contains the engine, or nil if it is unknown.
  public var origin: String?
  /// A defect of the engine's version that can damage data, or nil if none is known. See
  /// ``BackendDescription/knownDefect``.
  public var knownDefect: String?
  /// The reason why the engine cannot be loaded, or nil if it is loaded.
  public var obstacle: String?
  /// Whether a mistake in the options prevents loading. The value is false if the engine is loaded, or if the cause is
  /// a missing part, such as a library that is not installed.
  public var isMistake = false

  /// Describes an engine that is loaded.
  public init(version: String, compileOptions: String, origin: String?, knownDefect: String?) {
    (self.version, self.compileOptions) = (version, compileOptions)
    (self.origin, self.knownDefect) = (origin, knownDefect)
  }

  /// Describes an engine that cannot be loaded.
  public init(obstacle: String, isMistake: Bool) { (self.obstacle, self.isMistake) = (obstacle, isMistake) }
}

extension BackendDescription {
  /// Returns the reason why the engine for the given options cannot be used, or nil if it can be used. A missing part
  /// of the backend is reported before an engine that cannot be loaded.
  public func missing(for options: Options) -> String? { missing() ?? loaded(options)?.obstacle }

  /// Returns one sentence about the data that can be lost, as in ``safety``. If the engine that the options select has
  /// a known defect, a sentence on the defect follows.
  public func safety(for options: Options) -> String {
    let engine = loaded(options)
    let defect = engine == nil ? knownDefect : engine?.knownDefect
    return safety + (defect.map { " This version has \($0)." } ?? "")
  }

  /// Returns the name and version of the engine that the given options use.
  public func engineVersion(for options: Options) -> String { loaded(options)?.version ?? engineVersion() }

  /// The backend's usual engine, and the further engines that the option `library` offers by name, such as another
  /// version. `spec` is the backend with the options that select the engine.
  package var engines: [(spec: Spec, engine: LoadedEngine)] {
    let usual =
      missing().map { LoadedEngine(obstacle: $0, isMistake: false) }
      ?? LoadedEngine(
        version: engineVersion(), compileOptions: compileOptions(), origin: origin(), knownDefect: knownDefect)
    guard case .choiceOrPath(let names)? = options.first(where: { $0.name == "library" })?.values else {
      return [(Spec(id: id), usual)]
    }
    return [(Spec(id: id), usual)]
      + names.dropFirst().compactMap { name in
        guard let chosen = try? Options(parsing: ["library=\(name)"], specs: options, owner: id) else { return nil }
        return loaded(chosen).map { (Spec(id: id, options: chosen), $0) }
      }
  }
}
