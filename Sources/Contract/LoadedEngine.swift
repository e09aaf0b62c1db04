/// A database engine that a backend loads at run time, such as another version of a library.
public struct LoadedEngine: Sendable {
  /// The engine's name and version, detailed enough to distinguish two builds.
  public var version = ""
  /// The compile options that the engine reports.
  public var compileOptions = ""
  /// The path of the file that contains the engine, or nil if it is unknown.
  public var origin: String?
  /// A defect of the engine's version that can damage data, or nil if none is known. The text completes "This version
  /// has".
  public var knownDefect: String?
  /// The reason why the engine cannot be loaded, or nil if it is loaded.
  public var obstacle: String?
  /// Whether a mistake in the options prevented loading the engine. False if only a library is missing.
  public var isMistake = false

  /// Describes a database engine that has been loaded from the file at the path `origin`.
  public init(version: String, compileOptions: String, origin: String?, knownDefect: String?) {
    (self.version, self.compileOptions) = (version, compileOptions)
    (self.origin, self.knownDefect) = (origin, knownDefect)
  }

  /// Describes a database engine that cannot be loaded. `isMistake` is true if the reason is a mistake in the options.
  public init(obstacle: String, isMistake: Bool) { (self.obstacle, self.isMistake) = (obstacle, isMistake) }
}

extension BackendDescription {
  /// Returns the reason why the backend cannot be used with the given options, such as a missing library, or nil if it
  /// can.
  public func missing(for options: Options) -> String? { missing() ?? loaded(options)?.obstacle }

  /// Returns the text of ``safety``. If the engine for the given options has a known defect, a sentence about the
  /// defect follows.
  public func safety(for options: Options) -> String {
    let engine = loaded(options)
    let defect = engine == nil ? knownDefect : engine?.knownDefect
    return safety + (defect.map { " This version has \($0)." } ?? "")
  }

  /// Returns the name and version of the engine that the given options use.
  public func engineVersion(for options: Options) -> String { loaded(options)?.version ?? engineVersion() }

  /// The default engine and each engine that the option `library` names, even if it cannot be loaded. `spec`, such as
  /// `sqlite:library=sqlcipher`, selects the engine.
  package var engines: [(spec: Spec, engine: LoadedEngine)] {
    let usual =
      missing().map { LoadedEngine(obstacle: $0, isMistake: false) }
      ?? LoadedEngine(
        version: engineVersion(), compileOptions: compileOptions(), origin: origin(), knownDefect: knownDefect)
    var names: [String] = []
    if case .choiceOrPath(let list)? = options.first(where: { $0.name == "library" })?.values { names = list }
    return [(Spec(id: id), usual)]
      + names.dropFirst().compactMap { name in
        guard let chosen = try? Options(parsing: ["library=\(name)"], specs: options, owner: id) else { return nil }
        return loaded(chosen).map { (Spec(id: id, options: chosen), $0) }
      }
  }
}
