import Foundation
import Testing

/// A list of all calls in Sources that open for writing, create, remove or rename. A new call uses `OwnedDirectory` or
/// `AtomicFile`, or is listed here with the reason why its file cannot be a user's.
@Suite struct WritingCallsTests {
  /// Calls that change what is on a disk.
  private static let calls = [
    #"\b(removeItem|moveItem|copyItem|replaceItem|createDirectory|createFile|createSymbolicLink|trashItem)\b"#,
    #"\.write\(to: (URL|url|file|path|target)\b|\.write\(to(File|URL):"#,
    #"\b(O_CREAT|O_TRUNC|O_WRONLY|O_RDWR|O_APPEND|RENAME_NOREPLACE)\b"#,
    #"(^|[^\w.])(unlink|rename|renameat|rmdir|mkdir|mkdtemp|mkstemp|symlink|link|truncate|chmod|fopen|creat)\("#,
    #"FileHandle\(for(Writing|Updating)|\.writeOnly\b|\.readWrite\b|OutputStream\("#,
  ].joined(separator: "|")

  /// The number of lines with such calls in the program's own files, and their purpose.
  private static let known: [String: (lines: Int, why: String)] = [
    "Sources/RunFiles/Ownership/AtomicFile.swift": (8, "writes whole files, over recognised ones only"),
    "Sources/RunFiles/Ownership/OwnedDirectory.swift": (16, "claims, makes and removes directories"),
    "Sources/RunFiles/RunDirectory.swift": (1, "takes back the files of a run that did not begin"),
    "Sources/Contract/FileLock.swift": (1, "a lock file within a store, which stays empty"),
    "Sources/Bench/Commands/DoctorCommand.swift": (1, "a file in a directory of its own, for the counters to see"),
    "Sources/RunFiles/Ownership/Remains.swift": (1, "removes what this process has noted as its own"),
    "Sources/Bench/Commands/MergeCommand.swift": (1, "has a merged run written, which claims its directory"),
    "Sources/Bench/Run/ReportOutput.swift": (2, "adds to the end of the file that a CI system names"),
    "Sources/Bench/Machine/FitnessProbe.swift": (2, "a new file without a name, among the run's stores"),
    "Sources/Bench/Run/OutputDirectory.swift": (2, "results/latest, where it is a link to a run beside it"),
    "Sources/Bench/Machine/Linux.swift": (4, "control groups, which hold no files"),
    "Sources/Trial/MemoryLimit.swift": (1, "a sign in the trial's directory"),
    "Sources/Trial/StepCounter.swift": (1, "a counter in the trial's directory"),
  ]

  /// Folders whose code works only in a store's directory, which is passed to it. The conformance kit and the crash
  /// tests create one with a random name in the given directory.
  private static let ofStores = [
    "Backends", "ObjectGraph", "Workloads", "Verify", "Contract/Capabilities", "Contract/Emulation",
  ].map { "Sources/\($0)/" }

  /// Returns the number of such lines in each file.
  private static func counts() throws -> [String: Int] {
    let call = try Regex(calls).wordBoundaryKind(.simple)
    return SourceTree.read("Sources").reduce(into: [:]) { counts, file in
      let count = file.code.split(separator: "\n").count { $0.contains(call) }
      if count > 0 { counts[file.path] = count }
    }
  }

  @Test func `every place that writes, removes or renames is known`() throws {
    let counts = try Self.counts().filter { entry in !Self.ofStores.contains { entry.key.hasPrefix($0) } }
    for (file, count) in counts {
      #expect(
        count == Self.known[file]?.lines, "\(count) in \(file): use OwnedDirectory or AtomicFile, or add it to the list"
      )
    }
    for file in Self.known.keys {
      #expect(counts[file] != nil, "\(file) writes nothing any more; take it off the list")
    }
  }
}
