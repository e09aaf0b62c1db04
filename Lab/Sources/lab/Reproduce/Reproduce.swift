import Foundation
import StorageContract
import StorageReport
import StorageRunFiles

/// A check of a run for published results: `reproduce DIR`.
///
/// Exit code 0 if every shape that the run can show is found, 1 if one is not, 64 if it can show none.
struct Reproduce: Study {
  static let name = "reproduce"

  static func run(_ arguments: [String]) throws -> Int32 {
    guard arguments.count == 1 else {
      throw UsageError("give the directory of a run made with Lab/studies/lib/reproduce.yaml")
    }
    let model = try ReportModel(reading: RunDirectory(path: arguments[0]))
    let evidence = Evidence(model.rows)
    var counts: [String: Int] = [:]
    for shape in Shape.all {
      let (verdict, text) = shape.look(evidence).words
      counts[verdict, default: 0] += 1
      print("\(verdict.padding(toLength: 9, withPad: " ", startingAt: 0))  \(shape.name): \(text)")
      print("           claim: \(shape.claim)\n           source: \(shape.source)")
    }
    let (found, missed) = (counts["found"] ?? 0, counts["NOT FOUND"] ?? 0)
    print("\(found) found, \(missed) not found, \(counts["not asked"] ?? 0) not asked of this run")
    return found == 0 && missed == 0 ? 64 : missed == 0 ? 0 : 1
  }
}
