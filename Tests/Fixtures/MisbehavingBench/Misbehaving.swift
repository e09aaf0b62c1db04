import StorageContract

enum Misbehaving {
  /// All of these backends. None of them keeps its promises. Two have a test of their own and no line below.
  static let all: [any StorageBackend.Type] =
    foundByTheKit.map { $0.backend } + [Hangs.self, SkipsFirstSync.self] + foundByWorkloads
    + foundByCrashes.map { $0.backend }

  /// The backends that the conformance kit must reject, the check that detects each, and words of the message. To add
  /// one, write it and add its line here.
  static let foundByTheKit: [(backend: any StorageBackend.Type, check: String, words: String)] = [
    (Crashes.self, "values", "killed by signal 11"),
    (Exits.self, "values", "ended with exit code 0 in the middle, after: something went wrong"),
    (Throws.self, "values", "no space left: the disk of this test"),
    (WrongRecord.self, "changes", "another score"),
    (LosesUpdate.self, "all-or-nothing", "lacks 1"),
    (Forgets.self, "changes", "the body of an absent key is called"),
    (Chatters.self, "confinement", "bytes are printed to standard output"),
    (Boasts.self, "description", "asked for durable it promises fragile"),
    (CutsTexts.self, "values", "comes back with another name"),
    (CutsPayloads.self, "large-values", "payload of 500,000 bytes"),
    (ScansBackwards.self, "order", "is not in key order"),
    (SwallowsErrors.self, "bodies", "read swallows what its body throws"),
    (Tears.self, "all-or-nothing", "after a failed commit"),
    (NeedsFile.self, "missing-file", "there is no file"),
    (StartsAnew.self, "damaged-file", "threw no error"),
    (WritesAtClose.self, "acknowledged", "after the process was killed"),
    (
      NeverSyncs.self, "level",
      "durable is promised, but 20 of 20 saves were acknowledged before a file that they had written was synced"
    ),
    (
      SyncsAnother.self, "level",
      "durable is promised, but 20 of 20 saves were acknowledged before a file that they had written was synced; "
        + "20 had synced another file, or before their last write"
    ),
    (
      RenamesUnsynced.self, "level",
      "intact is promised, but 20 of 20 files were renamed before their data was synced"
    ),
    (
      ForgetsDirectory.self, "level",
      "durable is promised, but 20 of 20 saves were acknowledged before the directory was synced in which they had "
        + "renamed or removed a file"
    ),
    (NeverFails.self, "full-disk", "threw no error"),
    (Litters.self, "confinement", "opened for writing"),
    (VariesSilently.self, "counts", "declare isDeterministic: false"),
    (DropsSaves.self, "leaks", "does not hold what was committed before"),
    (LeaksMemory.self, "leaks", "more bytes of memory taken"),
    (LeaksDescriptors.self, "leaks", "100 more descriptors open"),
    (Miscounts.self, "queries", "by itself, it answers 'count of everything: 67'"),
    (CannotRollBack.self, "transactions", "by itself, it answers 'after a throw"),
    (ForgetsLinks.self, "relations", "by itself"),
    (ForgetsDefaults.self, "migrations", "by itself, it answers"),
    (LosesAttributes.self, "migrations", "by itself, in another process, it answers"),
    (CompactsTooMuch.self, "compaction", "by itself"),
    (ForgetsInBackups.self, "backups", "in a copy, after later commits lacks 299"),
    (PurgesTooMuch.self, "bulk", "by itself, it answers '0 deleted by a name that no record has: 65"),
    (SharesCarelessly.self, "sharing", "in all accounts instead of 800.0"),
  ]

  /// The backends that are wrong in the subject of one workload, and are caught by its checks.
  static let foundByWorkloads: [any StorageBackend.Type] = [
    FillsNoLog.self,
    LosesOthers.self,
    RemembersOthers.self,
  ]

  /// The backends that are wrong if a process dies or a call fails, the fault of the crash test that shows it, and the
  /// verdict.
  static let foundByCrashes: [(backend: any StorageBackend.Type, fault: String, verdict: String)] = [
    (AcknowledgesEarly.self, "kill", "lost-against-promise"),
    (WritesInPlace.self, "kill", "torn"),
    (DropsInterrupted.self, "eintr", "torn"),
    (IgnoresShortWrites.self, "short-write", "torn"),
    (SwallowsFailures.self, "enospc", "lost-against-promise"),
    (IgnoresFailedSyncs.self, "fsync", "unnoticed"),
    (KeepsStaleCache.self, "eio", "torn"),
    (SavesHalfBatches.self, "kill", "torn"),
    (DeletesWrongFile.self, "eio", "lost-against-promise"),
    (LeavesLock.self, "kill", "lost-against-promise"),
    (SyncsNothing.self, "power", "torn"),
    (SyncsWrongFile.self, "power", "torn"),
    (RenamesFirst.self, "power", "torn"),
    (LosesRenames.self, "power", "lost-against-promise"),
    (TearsHeader.self, "power", "torn"),
  ]
}
