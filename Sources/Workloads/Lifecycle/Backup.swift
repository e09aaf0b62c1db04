import Foundation
import StorageContract

/// A workload that copies the store, as an app does before it uploads or migrates its data.
struct Backup: Workload {
  static let way = OptionSpec(
    "way", ["online", "compact", "files"],
    help: "the engine's copy of the open store, its copy without free pages, or copies of the closed store's files")
  static let beside = OptionSpec(
    "beside", ["nothing", "saves"], help: "save nothing meanwhile, or change a record between steps of the copy")
  /// The name under which reports show the size of the copied store, in bytes.
  static let copyBytes = "copy_bytes"
  /// The number of saves during each copy of the store, with the option `beside=saves`.
  fileprivate static let saves = 4

  static let description = WorkloadDescription(
    id: "backup", question: "What does a consistent copy of the store cost?",
    operation: "copy the open store into another directory of the same disk, and sync the copy",
    options: [way, beside], access: .reads,
    accessWith: { $0[beside] == "saves" ? .writes : .reads }, needsPersistence: true,
    capability: { $0[way] == "files" ? nil : .backingUp },
    check: { options in
      guard options[beside] == "saves", options[way] != "online" else { return }
      throw UsageError("beside=saves of workload backup needs a copy in steps; leave out way=\(options[way])")
    },
    obstacle: { options, store in
      if let reason = store.backend.description.staysInPlace { return reason }
      let engine = store.backend as? any BackingUp.Type
      if options[way] == "compact" {
        guard let engine else { return "it has no call that copies it without free pages" }
        if let reason = engine.obstacleToCompactCopies(store.options) { return reason }
      }
      if options[beside] == "saves", engine?.copiesInSteps != true {
        return "it has no copy in steps, between which it could save"
      }
      return nil
    }, words: { _ in WorkloadWords("a backup", .other) })

  /// Returns the directory for the copy of a store, beside the store's directory.
  static func directory(of store: StoreEnvironment) -> String { store.directory + ".backup" }

  let options: Options

  func session(_ context: SessionContext) -> any WorkloadSession { BackupSession(context, options) }
}

private final class BackupSession: SessionStore, StoreSession {
  let blockSize = 1
  private let way: String
  private let saves: Int
  private var copyEnvironment: StoreEnvironment
  private var saved = 0
  private(set) var findings: [Finding] = []

  init(_ context: SessionContext, _ options: Options) {
    (way, saves) = (options[Backup.way], options[Backup.beside] == "saves" ? Backup.saves : 0)
    copyEnvironment = context.environment
    copyEnvironment.directory = Backup.directory(of: copyEnvironment)
    super.init(context)
  }

  func prepare(_ operations: Range<Int>) throws {
    guard FileManager.default.fileExists(atPath: copyEnvironment.directory) else { return }
    try context.between { try FileManager.default.removeItem(atPath: copyEnvironment.directory) }
  }

  func perform(_ operation: Int) throws {
    guard let store else { return }
    guard way != "files", let engine = store as? any BackingUp else {
      try close()
      try context.copyFiles(copyEnvironment.directory)
      self.store = try context.open()
      return
    }
    try FileManager.default.createDirectory(atPath: copyEnvironment.directory, withIntermediateDirectories: false)
    saved = operation * saves
    let end = saved + saves
    let save = { if self.saved < end { try self.save(store) } }
    try engine.backUp(to: copyEnvironment.directory, isCompact: way == "compact", between: saves > 0 ? save : nil)
    // A small store is copied in few steps, so some saves may remain.
    while saved < end { try save() }
    try FileCopy.sync(copyEnvironment.directory)
  }

  private func save(_ store: any StorageBackend) throws {
    context.acknowledged?(false)
    try store.commit([.put(record(saved))])
    context.acknowledged?(true)
    saved += 1
  }

  private func record(_ save: Int) -> Record { context.edited(context.drawnRecord(save), save) }

  func endsInSave(_ operation: Int) -> Bool { false }

  /// Checks that the copy has the content of the store at some moment during the copying.
  func verify(_ operations: Range<Int>) throws {
    let copyBytes = DirectorySize.bytes(copyEnvironment.directory)
    if context.isCounting { findings = [Finding(Backup.copyBytes, Double(copyBytes), .first)] }
    let copy = try context.backend.init(opening: copyEnvironment)
    var difference: VerificationError?
    for state in operations.lowerBound * saves...operations.upperBound * saves {
      do {
        _ = try expectation(saves: state).check(copy, hashes: false)
        difference = nil
        break
      } catch let error as VerificationError {
        difference = difference ?? error
      }
    }
    try copy.close()
    if let difference {
      throw VerificationError("the copy does not match any state that the store has had: \(difference)")
    }
  }

  func bytesChanged(by operations: Int) -> Int {
    (0..<operations * saves).reduce(0) { $0 + record($1).payload.count + 8 }
  }

  private func expectation(saves: Int) -> Expectation {
    Expectation(context.source).after((0..<saves).lazy.map { .put(self.record($0)) })
  }

  func expectation(after operations: Int) -> Expectation { expectation(saves: operations * saves) }

  func hash(_ operation: Int, into hash: inout StableHash) {
    hash.add(UInt64(context.source.count))
    for save in operation * saves..<(operation + 1) * saves { record(save).withView { hash.add($0) } }
  }
}
