import Foundation
import StorageBackends
import StorageBench
import StorageContract
import StorageWorkloads

// Studies of the suite itself: `lab STUDY ARGUMENTS`, started by scripts/lab, which says what each of them does.
//
// Under LAB_BACKENDS=twins it is a storage-bench with every backend under two names, for `scripts/lab self-study`.

let studies: [any Study.Type] = [Fidelity.self, GraphCost.self, GateResampling.self, Reproduce.self, PowerCut.self]

if ProcessInfo.processInfo.environment["LAB_BACKENDS"] == "twins" {
  await BenchmarkSuite.main(backends: Backends.all.flatMap { twins($0) }, workloads: Workloads.all)
} else {
  exit(run(Array(CommandLine.arguments.dropFirst())))
}

/// Runs the study that the first argument names; prints an error as one sentence.
///
/// - Returns: The exit code.
func run(_ arguments: [String]) -> Int32 {
  let name = arguments.first ?? ""
  do {
    guard let study = studies.first(where: { $0.name == name }) else {
      throw UsageError("unknown study '\(name)'; give \(studies.map(\.name).joined(separator: ", "))")
    }
    return try study.run(Array(arguments.dropFirst()))
  } catch {
    FileHandle.standardError.write(Data("scripts/lab \(name): \(error)\n".utf8))
    return error is UsageError ? 64 : 74
  }
}
