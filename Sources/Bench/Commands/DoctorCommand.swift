import ArgumentParser
import CStorageInstrument
import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageStatistics

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Check whether this machine can measure, and name what is missing.")

  @Option(
    help: ArgumentHelp(
      "Directory in which a run would make its stores (default: the current directory).", valueName: "dir"),
    completion: .directory)
  var scratch: String?

  private typealias HealthCheck = (verdict: String, text: String)

  /// Returns a check whose text is `badText`, or else `text`, if `isGood` is false.
  private func check(
    _ isGood: Bool, _ text: String, else badText: String? = nil, _ badVerdict: String = "doubtful"
  ) -> HealthCheck {
    isGood ? ("ok", text) : (badVerdict, badText ?? text)
  }

  func run() async throws {
    let wanted = scratch ?? FileManager.default.currentDirectoryPath
    try OwnedDirectory.check(wanted, flag: "--scratch")
    // The check does not create a missing directory, but uses its nearest existing parent.
    let owned = try OwnedDirectory.temporary(in: Linux.nearestExisting(wanted))
    defer { owned.removeAll() }
    let directory = owned.path
    let machine = MachineProbe(scratch: directory)
    let environment = machine.environment()
    let build = check(
      environment.build["mode"] != "debug", "a release build",
      else: "a debug build, with which run refuses to measure: build with -c release")
    let checks =
      [build] + disk(environment, machine) + steadiness(directory) + instruments(directory, environment)
      + EngineLine.all(.current).map { check($0.isGood, $0.text) }
    for (verdict, text) in checks {
      StandardOutput.write("\(verdict.padding(toLength: 9, withPad: " ", startingAt: 0)) \(text)\n")
    }
    if checks.contains(where: { $0.verdict == Self.missing }) { throw ExitCode(ExitStatus.unavailable) }
  }

  private static let missing = "missing"

  private func disk(_ environment: MachineEnvironment, _ machine: MachineProbe) -> [HealthCheck] {
    let file = environment.fileSystem ?? "an unknown file system"
    var checks = [
      check(
        !Linux.isRAMDisk(environment.storage["scratch"] ?? ""), "stores on \(file)",
        else: "stores would be in memory (\(file)), where intact and durable rows are refused: give --scratch on a disk"
      )
    ]
    if environment.storage["journal"] == "none" {
      checks.append(
        check(
          false,
          "the file system has no journal, so a sync writes less than on most Linux machines: "
            + "durable rows may rank differently there"))
    }
    let costs = (0..<Self.tries).compactMap { _ in machine.syncCost() }
    if let sync = SyncSteadiness(costs) { checks.append(check(sync.isGood, sync.text)) }
    return checks
  }

  /// The number of speed measurements of the disk and the processor. Fewer could miss the slow phases of an unsteady
  /// disk.
  private static let tries = 24

  private func steadiness(_ directory: String) -> [HealthCheck] {
    let probe = FitnessProbe(directory: directory)
    let (began, before) = (ci_now(), Self.waited)
    let defect = MachineFitness.defect((0..<Self.tries).map { _ in probe.sample() })
    let beside = Interference(window: ci_now() - began, waited: Self.waited - before, tick: Linux.tick ?? 0)
    let share = Quantity.whole(beside.waitShare * 100)
    return [
      check(
        !beside.hasWaited, "the processors are free: waiting for one would disturb no row",
        else: "other programs use the processors: this one waited for \(share) % of the time; "
          + "stop them, or rows will be marked disturbed"),
      check(
        defect == nil, "this machine is steady: equal work takes equal time",
        else: "this machine is too unsteady now for times to be judged: \(defect ?? "")"),
    ]
  }

  /// The time in nanoseconds that this thread has waited for a free processor so far.
  private static var waited: Int64 {
    var interference = ci_interference()
    return ci_read_interference(&interference) == 0 ? Int64(interference.waited) : 0
  }

  private func instruments(_ directory: String, _ environment: MachineEnvironment) -> [HealthCheck] {
    var before = ci_process_io()
    let canReadIO = ci_read_process_io(&before) == 0
    ci_begin(directory)
    let data = Data(repeating: 1, count: 100_000)
    try? data.write(to: URL(fileURLWithPath: "\(directory)/probe"), options: .atomic)
    var counts = ci_counts()
    ci_read(&counts)
    ci_end()
    var after = ci_process_io()
    _ = ci_read_process_io(&after)
    let agrees =
      canReadIO && counts.bytes_written == 100_000
      && counts.bytes_written + counts.other_bytes_written == after.bytes_written - before.bytes_written
    let path = "\(directory)/probe"
    var (pages, resident) = (UInt64(0), UInt64(0))
    _ = ci_sync_filesystem(path)
    let drops = ci_drop_cache(path) == 0 && ci_resident_pages(path, &pages, &resident) == 0 && resident == 0
    let clock = environment.clockCost.map { String(format: "%.0f ns", $0) } ?? "an unknown time"
    return [
      check(
        agrees, "bytes, calls and syncs are counted, and the kernel agrees",
        else: "counted \(counts.bytes_written) of 100,000 bytes written, "
          + "or the kernel disagrees: /proc/self/io must be readable", Self.missing),
      check(
        ci_counts_allocations() != 0, "allocations are counted",
        else: "allocations are not counted under a sanitizer"),
      check(
        ci_reset_peak() == 0, "peak memory can be measured (/proc/self/clear_refs)",
        else: "peak memory cannot be measured (/proc/self/clear_refs)"),
      check(
        drops, "files can be dropped from memory: cold rows are possible",
        else: "files cannot be dropped from memory: cold rows will fail"),
      check(true, "reading the clock costs \(clock)"),
    ]
  }
}

/// The judgment of `doctor` on the syncs of a disk: good if the syncs reach the disk and all take about the same time.
struct SyncSteadiness {
  let isGood: Bool
  let text: String

  /// Judges a disk by the durations of its syncs, in nanoseconds. Returns nil if `costs` is empty.
  init?(_ costs: [Double]) {
    let sorted = costs.sorted()
    guard let middle = Quantile.median(of: sorted), let least = sorted.first, let most = sorted.last else { return nil }
    let range = "\(NumberFormat.time(least)) to \(NumberFormat.time(most)) in \(sorted.count) tries"
    let fast = Double(sorted.count { $0 < middle / 2 }) / Double(sorted.count)
    let isSteady = Fitness.defect(of: costs) == nil && fast <= Fitness.largestOutlierShare
    let flushes = middle >= ReportModel.flushingFrom
    isGood = isSteady && flushes
    if !flushes {
      text = "a sync costs \(NumberFormat.time(middle)): this disk does not flush"
    } else if isSteady {
      text = "a sync costs \(NumberFormat.time(middle)) (\(range))"
    } else {
      text = "a sync costs \(range): rows that sync cannot be compared on this disk now"
    }
  }
}
