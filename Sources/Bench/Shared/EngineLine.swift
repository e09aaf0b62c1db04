import StorageTrial

struct EngineLine: Encodable {
  /// The engine's name on the command line, such as `lmdb` or, with an option of the backend,
  /// `sqlite:library=sqlcipher`.
  var id: String
  var version: String?
  var origin: String?
  var defect: String?
  /// The advice to the user if this version has a known defect; nil without a defect.
  var advice: String?
  var missing: String?

  static func all(_ catalog: Catalog) -> [EngineLine] {
    catalog.backends.flatMap { backend in
      let engines = backend.description.engines
      let better = engines.first { $0.engine.knownDefect == nil }.map { spec, engine in
        (engine.obstacle.map { "\($0), then " } ?? "") + "use \(spec)"
      }
      return engines.map { spec, engine in
        EngineLine(
          id: "\(spec)", version: engine.obstacle == nil ? engine.version : nil, origin: engine.origin,
          defect: engine.knownDefect, advice: engine.knownDefect.map { _ in better ?? "install a later version" },
          missing: engine.obstacle)
      }
    }
  }

  var isGood: Bool { missing == nil && defect == nil }

  var text: String {
    if let missing { return "\(id): \(missing)" }
    let source = origin.map { ", from \($0)" } ?? ""
    let state = [defect.map { "this version has \($0)" }, advice].compactMap { $0.map { "; \($0)" } }.joined()
    return "\(id): \(version ?? "")\(source)\(state)"
  }
}
