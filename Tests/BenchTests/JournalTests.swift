import Foundation
import StorageRunFiles
import Testing

@testable import StorageBench

@Suite struct JournalTests {
  private let directory = TemporaryDirectory()

  private func trials() throws -> [Trial] { try directory.run.allTrials() }

  private var bytes: Data {
    get throws { try Data(contentsOf: directory.run.trialsURL) }
  }

  private func write(_ data: Data) throws { try data.write(to: directory.run.trialsURL) }

  /// Writes the journal of a process that has ended.
  private func begin(_ trials: Trial...) throws {
    let journal = try Journal(directory.run)
    for trial in trials { try journal.append(trial) }
  }

  private let one = Trial.sample(.sample("a"), round: 1)
  private let two = Trial.sample(.sample("b"), round: 1, note: "a line\nin the note")
  private let three = Trial.sample(.sample("a"), .cost)

  /// A child process has copies of all descriptors until it runs its own program.
  @Test func aClosedJournalIsFreeWhileAChildStarts() throws {
    var copies: [Int32] = []
    do {
      let journal = try Journal(directory.run)
      try journal.append(one)
      let path = directory.run.trialsURL.resolvingSymlinksInPath().path
      copies = (0..<1_024).filter {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
      }.map { dup(Int32($0)) }
    }
    #expect(!copies.isEmpty)
    try Journal(directory.run).append(two)
    for copy in copies { close(copy) }
  }

  @Test func aTrialIsALineAndAJournalGoesOnWhereItEnded() throws {
    try Journal(directory.run).append(one)
    #expect(try bytes.count { $0 == 0x0A } == 1)
    #expect(try bytes.last == 0x0A)
    try Journal(directory.run).append(two)
    #expect(try bytes.count { $0 == 0x0A } == 2)
    #expect(try trials() == [one, two])
  }

  /// The file is read in pieces, the next one while the last one is parsed: no line is lost, repeated or out of order.
  /// A reader that stops early does not wait for the rest.
  @Test func longJournalsAreReadInTheirOrder() throws {
    let line = try JSONEncoder().encode(one)
    let count = 5_000_000 / line.count
    var text = Data()
    for round in 1...count {
      var trial = one
      trial.round = round
      text += try JSONEncoder().encode(trial) + Data("\n".utf8)
    }
    try write(text)
    var rounds: [Int?] = []
    let end = try directory.run.trials.forEach { rounds.append($0.round) }
    #expect(rounds == Array(1...count))
    #expect(end.trials == count && end.wholeBytes == text.count && !end.isTruncated)
    struct Enough: Error {}
    for wanted in [1, count / 2, count] {
      var seen = 0
      #expect(throws: Enough.self) {
        _ = try directory.run.trials.forEach { _ in
          seen += 1
          if seen == wanted { throw Enough() }
        }
      }
      #expect(seen == wanted)
    }
  }

  @Test func aTornLastLineIsCut() throws {
    try begin(one, two)
    let whole = try bytes
    let firstLine = whole.firstIndex(of: 0x0A)! + 1
    // The process may have died at any byte of the second line.
    for end in stride(from: firstLine + 1, to: whole.count - 1, by: 7) {
      try write(whole.prefix(end))
      try Journal(directory.run).append(three)
      #expect(try trials() == [one, three])
    }
  }

  @Test func aWholeLastLineWithoutItsEndIsKept() throws {
    try begin(one, two)
    try write(try bytes.dropLast())
    try Journal(directory.run).append(three)
    #expect(try trials() == [one, two, three])
    #expect(try bytes.count { $0 == 0x0A } == 3)
  }

  @Test func aDamagedLineInTheMiddleIsNotPassedOver() throws {
    try begin(one)
    try write(try bytes + Data("not a trial\n".utf8))
    expectUsageError("line 2 is not a trial") { try Journal(directory.run) }
  }

  @Test func aDirectoryInThePlaceOfTheJournal() throws {
    try FileManager.default.createDirectory(at: directory.run.trialsURL, withIntermediateDirectories: true)
    expectUsageError("is not a regular file") { _ = try Journal(directory.run) }
  }

  @Test func aDirectoryThatIsGone() throws {
    let gone = RunDirectory(path: directory.path + "/gone")
    let error = #expect(throws: FileWriteError.self) { _ = try Journal(gone) }
    #expect(error?.path == gone.trialsURL.path)
  }
}

@Suite struct ShardTests {
  @Test func cellsDoNotMove() throws {
    // Changing a shard's cells would break runs whose other parts are on other machines.
    let shard = try Shard("1/3")
    #expect(
      ["sqlite/save-one/100/shipped", "lmdb/save-one/100/shipped", "plist/save-one/100/shipped"].map(shard.takes)
        == [true, false, false])
  }

  @Test(arguments: ["", "1", "0/3", "4/3", "1/0", "-1/3", "a/b", "1/3/5", "1/", "/3", " 1/3"])
  func notAShard(text: String) {
    expectUsageError("'\(text)' is not a shard") { try Shard(text) }
  }

  @Test func isWrittenAsItIsRead() throws { #expect(try Shard("2/4").description == "2/4") }
}
