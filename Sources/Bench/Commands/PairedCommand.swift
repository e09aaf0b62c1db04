import ArgumentParser
import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageTrial

/// The command `paired`, which tests whether one build or backend is slower than another. It measures the two directly
/// after one another.
struct PairedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "paired", abstract: "Compare the times of two builds or two backends, measured side by side.",
    discussion: """
      paired --base OLD --head NEW -w read-one                    two executables
      paired --base-backend sqlite -b lmdb --durability durable   two backends

      --base and --head belong together; --base-backend needs one -b and excludes both. Without -w and -n, the cells \
      are those of the profile quick. If two backends reach different levels, a note says so.

      Each cell is run in 12 pairs of processes (20 if it syncs), or in --rounds pairs, and in more if their times \
      scatter. A cell is suspect if the confidence interval of the median of head / base lies above 1, and the \
      median above the margin. Suspects are measured again, and only the second result counts. Three cells are also \
      compared with themselves, and the machine's speed is measured between rounds. If either shows that the machine \
      was not quiet, only changes beyond the noise are judged; the other cells are unjudged.

      Exit codes: 0 nothing is slower; 1 a cell of the head failed; 2 something is slower, or the head build writes \
      or syncs more (fewer is 0); 3 less than 90 % of the cells could be judged, or not one cell of a backend or \
      workload. If fewer cells are unjudged, the exit code is 0, with a warning.
      """)

  @Option(help: ArgumentHelp("The executable to compare with.", valueName: "exe"), completion: .file())
  var base: String?

  @Option(help: ArgumentHelp("The executable to judge.", valueName: "exe"), completion: .file())
  var head: String?

  @Option(
    help: ArgumentHelp("The backend to compare with; --backend names the one to judge.", valueName: "id"),
    completion: .backends)
  var baseBackend: String?

  @OptionGroup var cells: CellOptions

  @Option(
    help: ArgumentHelp(
      "Ignore differences below this (default: 5%); for some cells only: 12%@'sqlite/*'. May be repeated.",
      valueName: "percent[@glob]"))
  var margin: [String] = []

  @Option(
    help: ArgumentHelp(
      "Choose the number of pairs, 8 to 20, so that the first measurement takes about this time, such as 10m.",
      valueName: "time"),
    transform: FlagValue.time(FlagValue.budgets))
  var budget: Int64?

  @Option(
    help: ArgumentHelp(
      "If too few cells can be judged: fail (exit code 3) or warn (exit code 0) (default: fail).", valueName: "how"),
    completion: .list(["fail", "warn"]), transform: FlagValue.word("choice"))
  var unjudged: Unjudged?

  @Option(
    help: ArgumentHelp("Self-test: slow the head down by this factor, such as 1.2@'sqlite/*'.", valueName: "f[@glob]"))
  var inject: String?

  @OptionGroup var output: ComparisonOutputOptions

  @Flag(help: "Measure even though this is a debug build.")
  var allowDebug = false

  /// The value of the option `--unjudged`: whether `paired` warns or fails if too few benchmarks could be judged.
  enum Unjudged: String, CaseIterable {
    case warn, fail
  }

  mutating func run() async throws {
    try output.check()
    guard budget == nil || cells.rounds == nil else {
      throw UsageError("--budget and --rounds both set the number of rounds; leave out one")
    }
    var setup = try await setup()
    let names = setup.plan.head.cells.map(\.cell.name)
    setup.margins = try Margins(margin, names: names)
    if let inject { setup.slowdowns = try Injection(inject, names: names).slowdowns(names) }
    if let budget { setup.plan.rounds = setup.plan.rounds(within: budget) }
    let display = ProgressDisplay(isQuiet: false)
    var (comparison, directory) = try await setup.run(observer: display)
    if let inject { comparison.notes.append("This is a drill: --inject \(inject) slowed the head down.") }
    let formats: [any ReportFormat] = [MarkdownFormat(), JSONFormat()]
    try output.deliver(comparison, usual: formats, directory: directory.path)
    let status = comparison.status(passesUnjudged: unjudged == .warn)
    if unjudged == .warn, comparison.status() == ExitStatus.unjudged, let missing = comparison.missing {
      StandardError.say("warning: \(missing) --unjudged warn lets it pass.")
    }
    if status != ExitStatus.ok { throw ExitCode(status) }
  }

  private func setup() async throws -> PairedSetup {
    let scratch = try OwnedDirectory.absolute(cells.scratch ?? output.out ?? "results", flag: "--scratch")
    let options = PairedOptions(cells: cells, base: base, head: head, scratch: scratch)
    if let baseBackend {
      guard base == nil, head == nil else {
        throw UsageError("--base-backend compares backends of this executable; leave out --base and --head")
      }
      return try backends(baseBackend, options)
    }
    guard base != nil || head != nil else {
      throw UsageError("there is nothing to compare; give --base and --head, or --base-backend and --backend")
    }
    var (plan, _) = try options.plan()
    let executables = try await options.executables(&plan, allowsDebug: allowDebug)
    return PairedSetup(
      plan: plan, executables: executables, names: (base ?? "", head ?? ""), margins: try Margins([], names: []),
      judgesCounts: true, out: output.out, scratch: cells.scratch)
  }

  private func backends(_ text: String, _ options: PairedOptions) throws -> PairedSetup {
    try DebugBuild.refuse(unless: allowDebug)
    guard let head = cells.backend, let before = try? Catalog.current.backendSpecs(text), before.count == 1 else {
      _ = try Catalog.current.backendSpecs(text)
      throw UsageError("--base-backend and --backend each take one backend, such as sqlite:journal=wal; give both")
    }
    let now = try Catalog.current.backendSpecs(head)
    guard now.count == 1, let base = before.first, let spec = now.first else {
      throw UsageError("--backend '\(head)' names \(now.count) backends; give the one to judge")
    }
    var (plan, builder) = try options.plan()
    plan.base.cells = try plan.base.cells.map { planned in
      var cell = planned.cell
      cell.backend = base
      return try builder.plannedCell(cell)
    }
    guard !plan.runnable.isEmpty else {
      let reason = plan.base.cells.first?.refusal.map { ": \($0.note)" } ?? ""
      throw UsageError("none of the cells can be run with \(base)\(reason)")
    }
    let executable = ProcessInfo.executable
    return PairedSetup(
      plan: plan, executables: (executable, executable), names: ("\(base)", "\(spec)"),
      margins: try Margins([], names: []), judgesCounts: false, out: output.out, scratch: cells.scratch)
  }
}
