import Foundation
import StorageContract
import StorageRunFiles
import StorageTrial

/// The content of the file that `--plan` names: a plan file, a list of rules, or the plan of an earlier run.
enum PlanSource: Sendable {
  case file(PlanFile)
  case rules([Rule])
  case run(Plan)

  init(path: String, catalog: Catalog) throws {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw UsageError("--plan \(path) does not exist; name a plan file, or the plan.json of a run")
    }
    guard !isDirectory.boolValue else {
      throw UsageError("--plan \(path) is a directory; name a file, such as \(path)/plan.json")
    }
    let data = try AtomicFile.contents(path)
    if path.hasSuffix(".json") || RunDirectory.isPlan(data) {
      self = .run(try RunDirectory.plan(data, path: path))
    } else {
      guard let text = String(bytes: data, encoding: .utf8) else {
        throw UsageError("\(path) is not UTF-8; save it as UTF-8")
      }
      self =
        try RuleFile.isRules(text)
        ? .rules(RuleFile.parse(text, path: path)) : .file(PlanFile(text, path: path, catalog: catalog))
    }
  }
}
