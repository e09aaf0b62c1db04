import Foundation
import StorageRunFiles
import Testing

/// Claims of new directories by several claimants. A lock belongs to an open descriptor, so threads stand for processes.
@Suite struct OwnedDirectoryTests {
  @Test func `claims that begin at once leave no directory without an owner`() async throws {
    let directory = TemporaryDirectory()
    for round in 0..<50 {
      let name = "\(directory.path)/\(round)/run"
      let claims = try await withThrowingTaskGroup(of: OwnedDirectory.self) { group in
        for _ in 0..<6 { group.addTask { try OwnedDirectory.claimNew(name, flag: "--out") } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(claims.allSatisfy { $0.isNew })
      let names = try FileManager.default.contentsOfDirectory(atPath: "\(directory.path)/\(round)")
      #expect(claims.map { ($0.path as NSString).lastPathComponent }.sorted() == names.sorted())
    }
  }
}
