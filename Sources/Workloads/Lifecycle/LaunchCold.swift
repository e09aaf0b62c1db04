import StorageContract

/// A workload that launches a process to read records. The store's files are not in the system's page cache.
struct LaunchCold: Workload {
  static let description = WorkloadDescription(
    id: "launch-cold", question: "How long until the app shows something after a reboot?",
    operation: "start a process that opens the store and reads, files dropped from memory before (with any --cache)",
    options: [LaunchGoal.option], access: .reads, cache: .cold, needsPersistence: true,
    words: { WorkloadWords("a launch after a restart to \(LaunchGoal($0).inWords)", .launch) })

  let options: Options

  func session(_ context: SessionContext) -> any WorkloadSession { LaunchSession(context, goal: LaunchGoal(options)) }
}
