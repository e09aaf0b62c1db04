import ArgumentParser
import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageTrial

struct TraceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trace",
    abstract: "Show the system calls of one operation: call, file, bytes, microseconds and meaning.",
    discussion: """
      Shows what one operation writes, reads, syncs and renames in the files of its store, and what each call means to \
      the engine: a journal's header, a frame of a write-ahead log, a meta page, a temporary file. Three operations of \
      a new process are traced, because the first may also do one-time work. The last of them is shown; --sql shows \
      the statements of all three. Locks, seeks and queries about files are left out, since they neither read nor \
      change data. Reads and writes through a memory map make no calls and are not shown.

      Example: storage-bench trace sqlite:journal=delete save-one
      """)

  @Argument(help: ArgumentHelp("The backend with its options.", valueName: "backend"), completion: .backends)
  var backend: String

  @Argument(help: ArgumentHelp("The workload with its options.", valueName: "workload"), completion: .workloads)
  var workload: String

  @Option(
    name: [.customShort("n"), .long],
    help: ArgumentHelp("Records in the store, such as 10k (default: 1000).", valueName: "records"),
    transform: FlagValue.count(FileNumbers.records))
  var records: Int?

  @Option(
    help: ArgumentHelp("Safety level: shipped, crash, intact or durable (default: shipped).", valueName: "level"),
    completion: .list(Durability.allCases.map(\.rawValue)), transform: FlagValue.word("durability"))
  var durability: Durability?

  @Option(
    help: ArgumentHelp(
      "Directory for the store, whose disk determines the times (default: the current directory).", valueName: "dir"),
    completion: .directory)
  var scratch: String?

  @Flag(help: "Show the SQL statements of each operation in place of the system calls.")
  var sql = false

  @Flag(help: "Print a Markdown table.")
  var markdown = false

  func run() async throws {
    let wanted = scratch ?? FileManager.default.currentDirectoryPath
    let plan = try plan()
    let owned = try OwnedDirectory.temporary(in: wanted)
    defer { owned.removeAll() }
    let scratch = try Scratch(owned)
    let run = TraceRun(plan: plan, scratch: scratch)
    let sqlWidth = markdown ? .max : Screen.width
    let document = try await Interruption.cancelling("nothing was traced") {
      try await run.document(sqlWidth: sql ? sqlWidth : nil)
    }
    if markdown {
      StandardOutput.write(MarkdownFormat.text(document, limit: .max))
    } else {
      Screen.show(document, isLog: true)
    }
  }

  private func plan() throws -> Plan {
    for (what, text) in [("backend", backend), ("workload", workload)] {
      guard !text.contains(","), !Glob.isPattern(text), text != "all" else {
        throw UsageError("'\(text)' is more than one \(what), but trace shows one operation; give one")
      }
    }
    var cells = try CellOptions.parse(["--backend=\(backend)", "--workload=\(workload)"])
    cells.records = records.map { [$0] }
    cells.durability = durability.map { [$0] }
    let plan = try PlanBuilder(catalog: .current, cells: cells, arguments: ["--once"]).plan()
    let spec = plan.cells[0].cell.backend
    let description = try Catalog.current.backend(spec.id).description
    if sql, description.statementTexts == nil {
      let others = Catalog.current.backends.filter { $0.description.statementTexts != nil }.map { $0.description.id }
      throw UsageError(
        "--sql: \(spec.id) runs no SQL; leave --sql out, or give one of \(others.joined(separator: ", "))")
    }
    if let refusal = plan.cells[0].refusal {
      let sentence = "\(plan.cells[0].cell.name) cannot be traced: \(refusal.note)"
      if description.missing(for: spec.options) != nil { throw ExitStatus.Failure(ExitStatus.unavailable, sentence) }
      throw UsageError(sentence)
    }
    return plan
  }
}
