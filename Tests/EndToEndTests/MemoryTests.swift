import Foundation
import Testing

/// A run of thousands of trials does not gather them in memory.
extension EndToEnd.Enduring {
  @Suite struct MemoryTests {
    @Test func theParentStaysSmall() async throws {
      let place = try Workplace()
      let rounds = 600
      let program = try place.start([
        "run", "--allow-debug", "-q", "-b", "null", "-w", "read-one", "-n", "10", "--trial-time", "5ms", "--rounds",
        String(rounds), "-o", "run",
      ])
      var first: Int?
      var last: (trials: Int, resident: Int) = (0, 0)
      while program.isRunning {
        let trials = (FileManager.default.contents(atPath: "\(place.path)/run/trials.jsonl") ?? Data()).count {
          $0 == 0x0A
        }
        if let resident = Self.resident(program.identifier) {
          // By then the program's own pages have been read.
          if trials >= 100, first == nil { first = resident }
          last = (trials, resident)
        }
        try await Task.sleep(nanoseconds: 200_000_000)
      }
      #expect(await program.finish().status == 0)
      // The last look is a moment before the end.
      #expect(last.trials >= rounds - 50)
      let growth = last.resident - (try #require(first))
      // 6 KiB a trial; what is gathered once does not matter.
      #expect(growth < 3 << 20, "\(growth) bytes more after \(last.trials) trials")
    }

    /// VmRSS in bytes.
    private static func resident(_ process: Int32) -> Int? {
      let text = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
      let line = text?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
      return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1_024 }
    }
  }
}
