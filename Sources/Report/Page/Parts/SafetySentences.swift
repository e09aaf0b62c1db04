import StorageContract
import StorageRunFiles

/// What the fault tests found, in words.
enum SafetySentences {
  /// What stands above the tables.
  static func lead(_ findings: [SafetyReport.FaultResult]) -> [RichText] {
    guard !findings.isEmpty else {
      return [
        "What each backend promises, by its settings and its counted syncs. \(code: "storage-bench crashtest") puts it to the test."
      ]
    }
    let count = findings.reduce(0) { $0 + $1.cases }
    guard count > 0 else { return ["Nothing was tested: none of the faults can happen to these backends."] }
    let cases = Quantity.grouped(count)
    let broken = findings.filter { $0.broken > 0 }
    guard !broken.isEmpty else { return ["No broken promise was found in \(cases) cases."] }
    return broken.map { result in
      "\(strong: "Broken:") \(result.backend), \(result.durability.rawValue), \(fault(result)): \(Quantity.grouped(result.broken)) of \(Quantity.grouped(result.cases)) cases ended worse than \(result.level.rawValue) allows."
    }
  }

  /// A fault, with what sets its cases apart.
  static func fault(_ result: SafetyReport.FaultResult) -> String {
    result.variant.isEmpty ? result.fault : "\(result.fault) \(result.variant)"
  }
}
