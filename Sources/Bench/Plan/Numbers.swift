import Foundation
import StorageContract
import StorageRunFiles
import StorageTrial
import StorageWorkloads

/// The numbers of the cell options, read and checked.
struct Numbers {
  /// The sizes asked for, or nil.
  var records: [Int]?
  /// The payload's length asked for, or nil.
  var recordBytes: Int?
  var payload = GeneratedRecords.Payload.random
  /// The durabilities asked for, or nil.
  var durabilities: [Durability]?
  var cache = CacheState.warm
  /// The ages of stores.
  var aged = [0]
  /// The limits of memory in bytes; nil is none.
  var memory: [Int?] = [nil]
  /// The threads asked for, or nil.
  var threads: Int?
  var rounds: Int
  var trialTime: Int64
  var cellLimit: Int64 = 30_000_000_000
  var seed: UInt64 = 1

  /// A process does not start in less memory than this.
  static let leastMemory = 16 << 20

  /// Reads the options.
  ///
  /// - Parameters:
  ///   - profile: What holds where the options say nothing.
  ///   - repeated: The plan that is repeated, which then holds in its place.
  init(_ options: CellOptions, profile: Profile?, repeating repeated: Plan? = nil) throws {
    rounds = repeated?.rounds ?? profile?.rounds ?? 6
    trialTime = repeated?.trialTime ?? profile?.trialTime ?? 100_000_000
    if let repeated {
      cellLimit = repeated.cellLimit
      seed = repeated.seed
      payload = GeneratedRecords.Payload(rawValue: repeated.payload) ?? .random
    }
    if let text = options.records {
      records = try Catalog.list(text, flag: "--records").map {
        try Self.count($0, flag: "--records", in: FileNumbers.records)
      }.unique
    }
    if let text = options.recordBytes {
      recordBytes = try Self.count(text, flag: "--record-bytes", in: FileNumbers.recordBytes)
    }
    if let text = options.payload {
      payload = try Self.choice(text, flag: "--payload", kind: "payload")
    }
    if let text = options.durability {
      durabilities = try Catalog.list(text, flag: "--durability").map {
        try Self.choice($0, flag: "--durability", kind: "durability")
      }.unique
    }
    if let text = options.cache { cache = try Self.choice(text, flag: "--cache", kind: "cache state") }
    if let text = options.aged {
      aged = try Catalog.list(text, flag: "--aged").map {
        try Self.count($0, flag: "--aged", in: FileNumbers.changes)
      }.unique
    }
    if let text = options.memory {
      memory = try Catalog.list(text, flag: "--memory").map { try Self.memory($0) }.unique
    }
    if let text = options.threads { threads = try Self.count(text, flag: "--threads", in: FileNumbers.threads) }
    if let text = options.rounds {
      rounds = try Self.count(text, flag: "--rounds", in: 1...FileNumbers.rounds.upperBound)
    }
    if let text = options.trialTime {
      trialTime = try Self.time(text, flag: "--trial-time", in: 1_000_000...FileNumbers.trialTime.upperBound)
    }
    if let text = options.cellLimit {
      cellLimit = try Self.time(text, flag: "--cell-limit", in: 10_000_000...FileNumbers.cellLimit.upperBound)
    }
    if let text = options.seed { seed = try Self.seed(text) }
  }

  /// Reads a seed.
  static func seed(_ text: String) throws -> UInt64 {
    guard let number = UInt64(text) else {
      throw UsageError("--seed '\(text)' is not a seed; give a whole number from 0 to \(UInt64.max)")
    }
    return number
  }

  /// Reads a count such as `10k`.
  static func count(_ text: String, flag: String, in range: ClosedRange<Int>) throws -> Int {
    guard let number = Quantity.bytes(text), range.contains(number) else {
      throw UsageError(
        "\(flag) '\(text)' is not usable; give a whole number from \(Quantity.grouped(range.lowerBound)) "
          + "to \(Quantity.grouped(range.upperBound)), such as 100 or 10k")
    }
    return number
  }

  /// Reads a limit of memory such as `64MiB`.
  ///
  /// - Returns: Bytes, or nil for `all`.
  static func memory(_ text: String) throws -> Int? {
    if text == "all" { return nil }
    guard let bytes = Quantity.bytes(text), (leastMemory...FileNumbers.memory.upperBound).contains(bytes) else {
      throw UsageError(
        "--memory '\(text)' is not usable; give 'all' or a size of at least \(Quantity.size(leastMemory)), such as 64MiB"
      )
    }
    return bytes
  }

  /// Reads a time such as `500ms`.
  static func time(_ text: String, flag: String, in range: ClosedRange<Int64>) throws -> Int64 {
    guard let time = Quantity.nanoseconds(text), range.contains(time) else {
      throw UsageError(
        "\(flag) '\(text)' is not usable; give a time from \(range.lowerBound / 1_000_000)ms "
          + "to \(range.upperBound / 3_600_000_000_000)h with its unit, such as 500ms or 5m")
    }
    return time
  }

  /// Reads one of a list of words.
  static func choice<Choice: RawRepresentable & CaseIterable>(
    _ text: String, flag: String, kind: String
  ) throws -> Choice where Choice.RawValue == String {
    guard let choice = Choice(rawValue: text) else {
      throw UsageError("\(flag): " + Nearest.sentence(kind, text, among: Choice.allCases.map(\.rawValue)))
    }
    return choice
  }
}
