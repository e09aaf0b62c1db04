/// A study of power cuts on real file systems, as far as possible without hardware. It tests whether the models of
/// `crashtest` allow the resulting disk states.
struct PowerCut: Study {
  static let name = "power-cut"

  static func run(_ arguments: [String]) throws -> Int32 {
    switch arguments.first {
    case "save"?: try Saver(Array(arguments.dropFirst())).run()
    case "read"?: try Reader(Array(arguments.dropFirst())).run()
    default: return try PowerCutStudy(arguments).run() ? 0 : 1
    }
    return 0
  }
}
