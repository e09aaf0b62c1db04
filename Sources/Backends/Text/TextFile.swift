import Foundation
import StorageContract

/// The backend `text`: one UTF-8 file with a line for each record. A commit rewrites the file, or with `append=yes`
/// appends to a log.
final class TextFileBackend: ResidentFile, RecordBackend {
  private static let append = OptionSpec(
    "append", ["no", "yes"], help: "write every record at each save, or append the changes to a log with checksums")

  static let description = BackendDescription(
    id: "text", appearance: Appearance(name: "Text file", mark: 10),
    summary: "one text file with a line per record, rewritten whole or as a log of changes",
    safety: """
      Without append=yes, every save writes every record, and a flipped bit inside a value is read as valid; with it, a \
      flipped bit loses all later saves, since only the valid beginning of the log is kept, and the log grows until the \
      store is opened again.
      """,
    options: [append],
    kind: { $0[append] == "yes" ? .page : .wholeFile },
    opensWith: { _ in "any editor" },
    engineVersion: { FoundationVersion.text },
    deviations: { $0[append] == "yes" ? [] : [WholeFile.shortWrites] },
    isDefault: false)

  /// Returns the safety level (whether saves survive a crash or a power cut) for a requested durability.
  override class func promise(_ durability: Durability, _ options: Options) -> Promise {
    // With a log, the level `intact` needs no sync after each commit: a power cut then loses only the last commits.
    guard options[append] == "yes" else { return Rewriting.promise(durability, options) }
    return .level(durability.requiredLevel ?? .durable)
  }

  convenience init(opening environment: StoreEnvironment) throws {
    guard environment.options[Self.append] == "yes" else {
      try self.init(TextFileCodec(), environment)
      return
    }
    let log = ChangeLog(
      path: environment.path("store.log"), collections: environment.collections, syncs: .init(environment.durability))
    try self.init(log, collections: environment.collections.count)
  }
}
