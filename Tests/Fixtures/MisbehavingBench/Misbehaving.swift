import StorageContract

/// The backends with deliberate faults.
enum Misbehaving {
  /// All of these backends. None of them keeps its promises.
  static let all = foundByTheKit + foundByWorkloads + foundByCrashes

  /// The backends that the conformance kit must reject. To add one, write it and add its line here.
  static let foundByTheKit: [any StorageBackend.Type] = [
    Crashes.self,
    Hangs.self,
    Exits.self,
    Throws.self,
    Chatters.self,
    WrongRecord.self,
    LosesUpdate.self,
    Forgets.self,
    Boasts.self,
    CutsTexts.self,
    CutsPayloads.self,
    ScansBackwards.self,
    SwallowsErrors.self,
    Tears.self,
    NeedsFile.self,
    StartsAnew.self,
    WritesAtClose.self,
    NeverSyncs.self,
    SyncsAnother.self,
    RenamesUnsynced.self,
    ForgetsDirectory.self,
    DropsSaves.self,
    VariesSilently.self,
    NeverFails.self,
    Litters.self,
    LeaksMemory.self,
    LeaksDescriptors.self,
    Miscounts.self,
    CannotRollBack.self,
    SharesCarelessly.self,
    ForgetsLinks.self,
    ForgetsDefaults.self,
    LosesAttributes.self,
    CompactsTooMuch.self,
    ForgetsInBackups.self,
    PurgesTooMuch.self,
  ]

  /// The backends that are wrong in the subject of one workload, and are caught by its checks.
  static let foundByWorkloads: [any StorageBackend.Type] = [
    FillsNoLog.self,
    LosesOthers.self,
    RemembersOthers.self,
  ]

  /// The backends that are wrong if a process dies or a call fails, and are found by the crash test.
  static let foundByCrashes: [any StorageBackend.Type] = [
    AcknowledgesEarly.self,
    WritesInPlace.self,
    DropsInterrupted.self,
    IgnoresShortWrites.self,
    SwallowsFailures.self,
    IgnoresFailedSyncs.self,
    KeepsStaleCache.self,
    SavesHalfBatches.self,
    DeletesWrongFile.self,
    LeavesLock.self,
    SyncsNothing.self,
    SyncsWrongFile.self,
    RenamesFirst.self,
    LosesRenames.self,
    SkipsFirstSync.self,
    TearsHeader.self,
  ]
}
