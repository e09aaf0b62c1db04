import ArgumentParser
import StorageContract
import StorageTrial

/// A key of a plan file: a long flag of `run`, without its dashes.
///
/// What the flag accepts the key accepts, and the same code checks it.
struct PlanKey: Sendable {
  /// What stands right of the colon, and where it goes.
  enum Form: Sendable {
    /// One value.
    case value(WritableKeyPath<RunOptions, String?> & Sendable)
    /// One value or a list of them; on the command line commas separate them.
    case list(WritableKeyPath<RunOptions, String?> & Sendable)
    /// One value or a list of them; on the command line the flag is repeated.
    case repeated(WritableKeyPath<RunOptions, [String]> & Sendable)
    /// The path of a file or directory, taken from where the plan file lies.
    case path(WritableKeyPath<RunOptions, String?> & Sendable)
    /// `true` or `false`.
    case flag(WritableKeyPath<RunOptions, Bool> & Sendable)
  }

  /// The flag without its dashes.
  let name: String
  /// See ``Form``.
  let form: Form
  /// The key that says the same in another way, so that only one of them can be given.
  var rival: String?
  /// Sees that a value can be used.
  var check: @Sendable (String, Catalog) throws -> Void = { _, _ in }

  /// Every flag of `run`, but those that are about one call only: `--plan`, `--resume`, `--dry-run`,
  /// `--export-markdown`.
  static let all: [PlanKey] = [
    PlanKey(name: "profile", form: .value(\.profile), rival: "cells") { text, _ in _ = try Profile.named(text) },
    PlanKey(name: "backend", form: .list(\.cells.backend)) { text, catalog in _ = try catalog.backendSpecs(text) },
    PlanKey(name: "workload", form: .list(\.cells.workload), rival: "cells") { text, catalog in
      _ = try catalog.workloadSpecs(text)
    },
    PlanKey(name: "skip", form: .repeated(\.cells.skip)),
    number("records", .list(\.cells.records), rival: "dataset"),
    number("record-bytes", .value(\.cells.recordBytes)),
    number("payload", .value(\.cells.payload)),
    number("durability", .list(\.cells.durability)),
    number("threads", .value(\.cells.threads)),
    number("cache", .value(\.cells.cache)),
    number("aged", .list(\.cells.aged)),
    number("memory", .list(\.cells.memory)),
    PlanKey(name: "rate", form: .value(\.rate)) { text, _ in _ = try RunOptions.rate(text) },
    PlanKey(name: "dataset", form: .path(\.cells.dataset), rival: "records"),
    number("rounds", .value(\.cells.rounds), rival: "budget"),
    PlanKey(name: "budget", form: .value(\.budget), rival: "rounds") { text, _ in _ = try RunOptions.budget(text) },
    number("trial-time", .value(\.cells.trialTime)),
    number("cell-limit", .value(\.cells.cellLimit)),
    number("seed", .value(\.cells.seed)),
    PlanKey(name: "scratch", form: .path(\.cells.scratch)),
    PlanKey(name: "out", form: .path(\.out)),
    PlanKey(name: "label", form: .value(\.label)),
    PlanKey(name: "shard", form: .value(\.shard)) { text, _ in _ = try Shard(text) },
    PlanKey(name: "once", form: .flag(\.once)),
    PlanKey(name: "keep-stores", form: .flag(\.keepStores)),
    PlanKey(name: "cost-on-disk", form: .flag(\.costOnDisk)),
    PlanKey(name: "quiet", form: .flag(\.quiet)),
    PlanKey(name: "allow-debug", form: .flag(\.allowDebug)),
    PlanKey(name: "allow-ram-disk", form: .flag(\.allowRamDisk)),
  ]

  /// The keys of a line of `cells`.
  static let ofLines = ["workload", "backend", "records", "durability", "record-bytes"]

  /// A key of the cell options that ``Numbers`` reads.
  private static func number(_ name: String, _ form: Form, rival: String? = nil) -> PlanKey {
    PlanKey(name: name, form: form, rival: rival) { text, _ in
      // The flag's own reader sees a command line that has nothing else.
      _ = try Numbers(CellOptions.parse(["--\(name)=\(text)"]), profile: nil)
    }
  }

  /// Whether the flag was given.
  func isGiven(_ options: RunOptions) -> Bool {
    switch form {
    case .value(let path), .list(let path), .path(let path): options[keyPath: path] != nil
    case .repeated(let path): !options[keyPath: path].isEmpty
    case .flag(let path): options[keyPath: path]
    }
  }

  /// Does what the flag would do.
  func set(_ texts: [String], in options: inout RunOptions) {
    switch form {
    case .value(let path), .list(let path), .path(let path): options[keyPath: path] = texts.joined(separator: ",")
    case .repeated(let path): options[keyPath: path] = texts
    case .flag(let path): options[keyPath: path] = texts == ["true"]
    }
  }
}
