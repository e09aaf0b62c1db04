import Foundation
import StorageContract
import StorageRunFiles
import Testing

@testable import StorageBench
@testable import StorageTrial

@Suite struct VerifiedStoresTests {
  private let directory = TemporaryDirectory()

  /// Returns the cost trial of one save into a whole file, in a separate directory.
  private func request(_ number: Int, _ durability: Durability) throws -> TrialRequest {
    let cell = Cell.sample("plist", durability: durability)
    for part in ["store", "tmp"] { try directory.makeDirectory("scratch/trials/\(number)/\(part)") }
    let own = "\(URL(fileURLWithPath: directory.path).standardizedFileURL.path)/scratch/trials/\(number)"
    return TrialRequest(task: .cost, cell: cell, seed: 1, payload: "random", directory: own, trialTime: 1)
  }

  /// Empty directories prove nothing: a backend may have its store elsewhere.
  @Test func whatHasNoFilesIsNotTheSame() throws {
    let (first, second) = ("\(directory.path)/first", "\(directory.path)/second")
    #expect(!StoreFiles.areEqual(first, second))
    for name in ["first", "second"] {
      try directory.makeDirectory(name)
      try directory.write("\(name)/lock", "")
    }
    #expect(!StoreFiles.areEqual(first, second))
    for name in ["first", "second"] { try directory.write("\(name)/store", "records") }
    #expect(StoreFiles.areEqual(first, second))
    try directory.write("second/store", "Records")
    #expect(!StoreFiles.areEqual(first, second))
    try directory.write("second/store", "records")
    try directory.write("second/log", "")
    #expect(!StoreFiles.areEqual(first, second) && !StoreFiles.areEqual(second, first))
  }

  /// The store of a cost pass is kept, on the disk or in memory, until the last cell has been compared with it.
  @Test(arguments: [false, true]) func whatIsCountedIsKeptUntilAllHaveAsked(inMemory: Bool) throws {
    let scratch = try Scratch(directory.path + "/scratch")
    defer { scratch.close(keepingFixtures: false) }
    let other = try Scratch(directory.path + "/other")
    defer { other.close(keepingFixtures: false) }
    let requests = try [Durability.shipped, .crash, .durable].enumerated().map { try request($0 + 1, $1) }
    let cells = requests.map { PlannedCell.sample($0.cell, isWholeFile: true) }
    let plan = Plan(rounds: 1, cellLimit: 1_000_000_000, scratch: directory.path, cells: cells)
    let runs = [1, 2].map { _ in VerifiedStores(plan, inMemory ? other : scratch, memory: inMemory ? scratch : nil) }
    for (request, text) in zip(requests, ["alike", "other", "alike"]) {
      try Data(text.utf8).write(to: URL(fileURLWithPath: "\(request.store)/file"))
    }
    let response = TrialResponse(operations: 3)
    #expect(runs[0].response(for: requests[0]) == nil)
    runs[0].keep(response, of: requests[0])
    #expect(!FileManager.default.fileExists(atPath: requests[0].store))
    #expect(runs[0].response(for: requests[1]) == nil)
    runs[0].keep(response, of: requests[1])
    #expect(FileManager.default.fileExists(atPath: requests[1].store) && StoreFiles.sizes(scratch.verified).length == 5)
    runs[1].keep(response, of: requests[1])
    #expect(StoreFiles.sizes(scratch.verified).length == 10, "another run keeps its stores in the same folder")
    #expect(runs[0].response(for: requests[2]) == response)
    #expect(StoreFiles.sizes(scratch.verified).length == 5)
  }
}
