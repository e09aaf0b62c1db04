import StorageContract

/// A workload that launches a process to read records. The store's files are in the system's page cache.
struct LaunchWarm: Workload {
  static let description = WorkloadDescription(
    id: "launch-warm", question: "How long until the app shows something?",
    operation: "start a process that opens the store and reads, files in memory (with any --cache)",
    options: [LaunchGoal.option], access: .reads, cache: .warm, needsPersistence: true,
    words: { WorkloadWords("a launch to \(LaunchGoal($0).inWords)", .launch) })

  let options: Options

  func session(_ context: SessionContext) -> any WorkloadSession { LaunchSession(context, goal: LaunchGoal(options)) }
}
