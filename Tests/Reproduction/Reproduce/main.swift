import Foundation
import Shapes
import StorageContract
import StorageReport
import StorageRunFiles

// Looks in a run for what others have found: `reproduce DIR`. Exit 0 if every shape that the run can show is found, 1
// if one is not, 64 if it can show none.

guard CommandLine.arguments.count == 2 else {
  FileHandle.standardError.write(
    Data("reproduce: give the directory of a run made with scripts/lib/reproduce.yaml\n".utf8))
  exit(64)
}
do {
  let model = try ReportModel(reading: RunDirectory(path: CommandLine.arguments[1]))
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
  exit(found == 0 && missed == 0 ? 64 : missed == 0 ? 0 : 1)
} catch {
  FileHandle.standardError.write(Data("reproduce: \(error)\n".utf8))
  exit(error is UsageError ? 64 : 74)
}
