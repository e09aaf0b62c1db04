import Foundation
import StorageBackends
import StorageBench
import StorageWorkloads

// Studies of the suite itself: `lab STUDY ARGUMENTS`, started by scripts/lab, which lists them.
//
// With LAB_BACKENDS=twins it is a storage-bench with every backend under two names, for `scripts/lab self-study`.

if ProcessInfo.processInfo.environment["LAB_BACKENDS"] == "twins" {
  await BenchmarkSuite.main(backends: Backends.all.flatMap { twins($0) }, workloads: Workloads.all)
} else {
  exit(Studies.run(Array(CommandLine.arguments.dropFirst())))
}
