import Foundation
import ObjectGraph
import Testing

/// Semantics 11 and 26: the memory that faults and batches save, measured in separate processes. `scripts/lab
/// graph-memory` prints the whole table.
@Suite struct MemoryTests {
  /// The greatest anonymous memory above the start, in KiB, while another process looks at every object.
  private func walk(_ store: URL, _ way: String) throws -> Int {
    let numbers = try Child.output("graph-memory", "walk", store.path, way).split(separator: " ").compactMap { Int($0) }
    try #require(numbers.count == 2)
    print("graph-memory \(way): \(numbers[1] - numbers[0]) KiB above the start")
    return numbers[1] - numbers[0]
  }

  @Test("26: 100,000 objects in batches of 100, faults turned back, stay within 20 MB")
  func batches() throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("graph-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let store = directory.appendingPathComponent("store.db")
    _ = try Child.output("graph-memory", "write", store.path, "100000")
    let (batches, faults, all) = (try walk(store, "batches"), try walk(store, "faults"), try walk(store, "all"))
    #expect(batches <= 20 * 1_024)
    // Unbatched, all rows are there at once: so the measure sees objects, and their rows.
    #expect(all > 20 * 1_024 && all > 2 * batches)
    // Held objects keep their rows in the coordinator's cache.
    #expect(faults > 2 * batches)
  }
}
