import ArgumentParser
import Foundation
import StorageContract
import StorageRunFiles
import StorageTrial

struct PairedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "paired",
    abstract: "Compare the times of two builds of storage-bench or of two backends, measured side by side.",
    discussion: """
      paired --base OLD --head NEW -w read-one                    two builds
      paired --base-backend sqlite -b lmdb --durability durable   two backends

      Give either --base and --head, or --base-backend and exactly one -b. Without -b, the default backends (see \
      there) are measured. Without -w and -n, the cells are those of the profile 'quick'. With -w or -n, the defaults \
      are the workload save-one, 1000 records and the level shipped. If the two backends reach different safety \
      levels, a note says so.

      Each cell is run in 12 pairs of processes (20 if it syncs), or in --rounds pairs, and in more if their times \
      scatter. Each pair has a ratio of times, head / base. A cell is suspect if the median ratio is above 1 + \
      --margin, by default 1.05, and its whole confidence interval above 1; faster cells likewise. Suspects are \
      measured again, and only the second result counts.

      In three cells, the base is also compared with itself, and the machine's speed is measured between rounds. If \
      one of the three seems changed, or if the speed varies a lot, the machine was not quiet. Then a cell is judged \
      only if its whole interval is further from 1 than 1.5 times the largest deviation seen in the three cells or in \
      the speed, on a log scale. After a deviation by the factor 1.3, it must be above 1.48 or below 1/1.48. All other \
      cells are unjudged.

      Exit codes: 0 nothing is slower; 1 a cell of the head failed; 2 something is slower or, with --head, writes or \
      syncs more (less is no failure); 3 more than 10 % of the cells are unjudged, or all those of a backend or \
      workload. With fewer unjudged cells, the exit code is 0, with a warning.
      """)

  @Option(
    help: ArgumentHelp(
      "The storage-bench executable to compare with, such as a build of the old code.", valueName: "exe"),
    completion: .file())
  var base: String?

  @Option(help: ArgumentHelp("The storage-bench executable to judge.", valueName: "exe"), completion: .file())
  var head: String?

  @Option(
    help: ArgumentHelp("The backend to compare with; --backend names the one to judge.", valueName: "id"),
    completion: .backends)
  var baseBackend: String?

  @OptionGroup var cells: CellOptions

  @Option(
    help: ArgumentHelp(
      """
      Ignore differences below this (default: 5%); for some cells only: 12%@'sqlite/*'. May be repeated; the last one \
      that matches a cell applies.
      """,
      valueName: "percent[@glob]"))
  var margin: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      Choose the number of pairs, 8 to 20, so that the measurement takes about this time, such as 10m. Further pairs, \
      and the second measurement of suspects, come on top.
      """,
      valueName: "time"),
    transform: FlagValue.time(FlagValue.budgets))
  var budget: Int64?

  @Option(
    help: ArgumentHelp(
      "If too few cells can be judged: fail (exit code 3) or warn (exit code 0) (default: fail).", valueName: "how"),
    completion: .list(["fail", "warn"]), transform: FlagValue.word("choice"))
  var unjudged: Unjudged?

  @Option(
    help: ArgumentHelp(
      """
      Self-test: slow the head down by this factor, such as 1.2@'sqlite/*', by waiting after each operation.
      """,
      valueName: "f[@glob]"))
  var inject: String?

  @OptionGroup var output: ComparisonOutputOptions

  @Flag(help: "Measure even if this storage-bench, or the one of --base or --head, is a debug build.")
  var allowDebug = false

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
    if let inject { setup.slowdowns = try Injection.slowdowns(inject, names: names) }
    if let budget { setup.plan.rounds = setup.plan.rounds(within: budget) }
    var (comparison, directory) = try await setup.run(observer: ProgressDisplay(isQuiet: false))
    if let inject { comparison.notes.append("This is a drill: --inject \(inject) slowed the head down.") }
    try output.deliver(comparison, usual: [.markdown(), .json], directory: directory.path)
    let status = comparison.status(passesUnjudged: unjudged == .warn)
    if unjudged == .warn, comparison.status() == ExitStatus.unjudged, let missing = comparison.missing {
      StandardError.say("warning: \(missing) --unjudged warn lets it pass.")
    }
    if status != ExitStatus.ok { throw ExitCode(status) }
  }

  private func setup() async throws -> PairedSetup {
    guard let baseBackend else {
      guard base != nil || head != nil else {
        throw UsageError("paired has nothing to compare; give --base and --head, or --base-backend and --backend")
      }
      var setup = try PairedSetup(cells, out: output.out)
      try await setup.takeBuilds(base, head, allowsDebug: allowDebug)
      return setup
    }
    guard base == nil, head == nil else {
      throw UsageError("--base-backend compares backends of this executable; leave out --base and --head")
    }
    try DebugBuild.refuse(unless: allowDebug)
    let before = try Catalog.current.backendSpecs(baseBackend)
    guard let backend = cells.backend, before.count == 1 else {
      throw UsageError("--base-backend and --backend each take one backend, such as sqlite:journal=wal; give both")
    }
    let now = try Catalog.current.backendSpecs(backend)
    guard now.count == 1 else {
      throw UsageError("--backend '\(backend)' names \(now.count) backends; give the one to judge")
    }
    var setup = try PairedSetup(cells, out: output.out, against: before[0])
    setup.names = ("\(before[0])", "\(now[0])")
    return setup
  }
}
