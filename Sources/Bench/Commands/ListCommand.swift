import ArgumentParser
import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageTrial
import StorageWorkloads

struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the backends, engines, workloads or profiles.",
    discussion: """
      The lists of backends and workloads begin with a legend. 'list backends' shows which safety level each backend \
      reaches at each level asked for, with its default options. For other options, use for example 'run --dry-run -b \
      sqlite:journal=delete'. Engines are the libraries behind the backends, with their versions and known bugs.
      """)

  @Argument(help: "One of backends, engines, workloads, profiles.", completion: .list(Kind.allCases.map(\.rawValue)))
  var what: String

  @Flag(help: "Print an array of JSON objects.")
  var json = false

  private enum Kind: String, CaseIterable {
    case backends, engines, workloads, profiles
  }

  func run() throws {
    let kind: Kind = try UsageError.naming("list", what, FlagValue.word("list"))
    let catalog = Catalog.current
    switch kind {
    case .backends:
      try show(
        catalog.backends.map { Self.entry($0, workloads: catalog.workloads) }, Self.text, legend: Self.backendLegend)
    case .engines: try show(EngineLine.all(catalog), \.text)
    case .workloads: try show(catalog.workloads.map(Self.entry), Self.text, legend: Self.workloadLegend)
    case .profiles: try show(Profile.all.map { Entry(id: $0.id, summary: $0.summary) }, Self.text)
    }
  }

  private struct Entry: Encodable {
    var id: String
    var summary: String
    var aliases: [String]?
    var operation: String?
    var access: String?
    var capability: String?
    var engine: String?
    var compiled: String?
    var missing: String?
    var safety: String?
    var deviations: [Exception]?
    var deterministic: Bool?
    var unconfirmed: [Unconfirmed]?
    var workAlike: Bool?
    var likeness: [Judgement]?
    var native: [String]?
    var levels: [String: String]?
    var options: [Option]?

    /// An exception from a backend's guarantee, such as the lost sign of -0, and the backend options that cause the
    /// exception.
    struct Exception: Encodable {
      var promise: String
      var options: String
      var sentence: String
    }

    /// The reason why a run cannot confirm a backend's safety levels by counting writes and syncs, and the backend
    /// options concerned.
    struct Unconfirmed: Encodable {
      var options: String
      var reason: String
    }

    /// A judgment on how closely a backend resembles the system that it imitates, for some workloads.
    struct Judgement: Encodable {
      var shape: String
      var workloads: [String]
      var reason: String
      var source: String
    }

    struct Option: Encodable {
      var name: String
      var values: [String]
      var `default`: String
      var help: String
    }
  }

  private static func entry(_ backend: any StorageBackend.Type, workloads: [any Workload.Type]) -> Entry {
    let description = backend.description
    let missing = description.missing()
    let sets = optionSets(description)
    let exceptions = sets.flatMap { options in
      description.deviations(options).map {
        Entry.Exception(promise: $0.promise.rawValue, options: options.description, sentence: $0.sentence)
      }
    }
    let unconfirmed = sets.compactMap { options in
      description.witness(options).obstacle.map { Entry.Unconfirmed(options: options.description, reason: $0) }
    }
    var levels: [String: String] = [:]
    for durability in Durability.allCases {
      switch backend.promise(durability, Options()) {
      case .level(let level): levels[durability.rawValue] = level.rawValue
      case .unavailable(let reason): levels[durability.rawValue] = "n/a: \(reason)"
      }
    }
    return Entry(
      id: description.id, summary: description.summary, aliases: description.aliases,
      engine: missing == nil ? description.engineVersion() : nil, compiled: description.unusual, missing: missing,
      safety: description.safety(for: Options()),
      deviations: exceptions.unique(by: \.sentence), deterministic: description.isDeterministic,
      unconfirmed: unconfirmed.unique(by: \.reason), workAlike: description.isWorkAlike,
      likeness: judgements(description, workloads),
      native: Capability.allCases.filter { $0.isNative(in: backend) }.map(\.rawValue), levels: levels,
      options: description.options.map(option))
  }

  private static func judgements(
    _ description: BackendDescription, _ workloads: [any Workload.Type]
  ) -> [Entry.Judgement]? {
    guard let likeness = description.likeness else { return nil }
    let judged = workloads.map { ($0.description.id, likeness(Spec(id: $0.description.id), Options())) }
    return judged.grouped { $1.reason }.map { reason, members in
      let first = members[0].1
      return Entry.Judgement(
        shape: first.shape.rawValue, workloads: members.map(\.0), reason: reason, source: first.source)
    }
  }

  /// Returns the combinations of up to three non-default options of a backend, such as `journal=wal`, the shortest
  /// first.
  private static func optionSets(_ description: BackendDescription) -> [Options] {
    var sets: [[String]] = [[]]
    for spec in description.options {
      guard case .choice(let values) = spec.values else { continue }
      sets += sets.filter { $0.count < 3 }.flatMap { set in values.dropFirst().map { set + ["\(spec.name)=\($0)"] } }
    }
    return sets.sorted { $0.count < $1.count }.compactMap {
      try? Options(parsing: $0, specs: description.options, owner: description.id)
    }
  }

  private static func entry(_ workload: any Workload.Type) -> Entry {
    let description = workload.description
    return Entry(
      id: description.id, summary: description.question,
      operation: description.operation + (description.records.map { "; N = \($0) with any -n" } ?? ""),
      access: description.access == .reads ? "reads" : "writes",
      capability: description.capability(Options())?.rawValue, options: description.options.map(option))
  }

  private static func option(_ spec: OptionSpec) -> Entry.Option {
    Entry.Option(name: spec.name, values: spec.valueNames, default: spec.defaultValue, help: spec.help)
  }

  private func show<Entry: Encodable>(_ entries: [Entry], _ text: (Entry) -> String, legend: String = "") throws {
    let list = try json ? JSONEncoder.pretty.text(entries) : legend + entries.map(text).joined(separator: "\n")
    StandardOutput.write(list + "\n")
  }

  private static let backendLegend = """
    Legend:
    NAME: summary  [engine and version]
        aliases: other words for -b, which run NAME: -b fmdb is sqlite without FMDB.
        :OPTION=VALUES  The first value is the default. Values that are not listed
            are refused, unless NUMBER, SIZE, TIME or PATH stands for them. Colons
            join options, as in sqlite:journal=wal:page=8192.
        native: abilities of the engine. The suite emulates the others; reports
            mark emulated rows.
        durability: level asked for -> level reached, with the default options.
            volatile: saves are in memory only, or written later.
            fragile: a crash or a full disk during a save can destroy earlier saves.
            crash, intact, durable: see 'storage-bench --help'.
            n/a: the backend cannot reach the level. The cell is no failure.
        shape holds, optimistic, pessimistic, not comparable: the statements, writes
            and syncs of a work-alike are those of the library that it imitates,
            fewer, more, or without a counterpart. Times are never comparable.
        except: a guarantee that the backend does not keep.
        Levels: a run compares the writes and syncs of each save with the level.
            Bytes that it cannot see are empty, not 0.


    """

  private static let workloadLegend = """
    Legend:
    NAME: question
        operation: the unit that is timed and counted. N: records in the store (-n).
            With a fixed N, the workload runs once, at this N.
        needs: an ability. The suite emulates it for engines without it (see
            'native' in 'list backends'); reports mark emulated rows.
        :OPTION=VALUES  The first value is the default. Values that are not listed
            are refused, unless NUMBER or PERCENT (50, not 50%) stands for them.
            Colons join options, as in mix:read=80:update=20.
        A cell whose store has wrong records at the end fails. The lost saves of
            two-processes and the late saves of paced-save are no failure; reports
            count them.


    """

  private static func text(_ entry: Entry) -> String {
    var lines = ["\(entry.id): \(entry.summary)" + (entry.engine.map { "  [\($0)]" } ?? "")]
    func add(_ label: String, _ text: String?) { if let text { lines.append("    \(label): \(text)") } }
    func joined(_ words: [String]?) -> String? { words?.isEmpty == false ? words?.joined(separator: ", ") : nil }
    func with(_ options: String) -> String { options.isEmpty ? "" : " with \(options)" }
    let note = entry.workAlike == true ? "; a work-alike runs, not that library" : ""
    add("aliases", joined(entry.aliases).map { $0 + note })
    add("operation", entry.operation)
    add("needs", entry.capability)
    if let compiled = entry.compiled {
      lines.append("    compiled=\(compiled), which differs from its authors' defaults")
    }
    add("n/a", entry.missing)
    for option in entry.options ?? [] {
      let standard = option.values.contains(option.default) ? "" : " (default: \(option.default))"
      lines.append("    :\(option.name)=\(option.values.joined(separator: ","))\(standard)  \(option.help)")
    }
    add("native", joined(entry.native))
    let levels = Durability.allCases.map(\.rawValue).compactMap { asked in
      entry.levels?[asked].map { "\(asked) -> \($0.hasPrefix("n/a") ? "n/a" : $0)" }
    }
    add("durability", joined(levels))
    for judgement in entry.likeness ?? [] {
      add(
        "\(judgement.shape) in \(judgement.workloads.joined(separator: ", "))",
        "\(judgement.reason) [\(judgement.source)]")
    }
    add("safety", entry.safety)
    for exception in entry.deviations ?? [] { add("except\(with(exception.options))", exception.sentence) }
    for unconfirmed in entry.unconfirmed ?? [] {
      add("a run cannot confirm its levels\(with(unconfirmed.options))", unconfirmed.reason)
    }
    if entry.deterministic == false {
      lines.append(
        "    its counts do not repeat exactly: 'check' and 'compare' ignore differences of up to "
          + "\(Int(100 * Measure.varyingTolerance)) %")
    }
    return lines.joined(separator: "\n")
  }
}
