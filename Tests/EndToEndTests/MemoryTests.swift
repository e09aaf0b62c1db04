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
      var looks: [(trials: Int, resident: Int)] = []
      while program.isRunning {
        let trials = (FileManager.default.contents(atPath: "\(place.path)/run/trials.jsonl") ?? Data()).count {
          $0 == 0x0A
        }
        if trials >= 10, let resident = Self.resident(program.identifier) { looks.append((trials, resident)) }
        try await Task.sleep(nanoseconds: 200_000_000)
      }
      #expect(await program.finish().status == 0)
      let (first, last) = (try #require(looks.first), try #require(looks.last))
      // The last look is a moment before the end.
      #expect(last.trials >= rounds - 50)
      #expect(last.resident - first.resident < 10 << 20, "bytes more after \(last.trials) trials")
      // What is gathered grows all the time: in two thirds of the run at least. Pages of the program that are read, or
      // given back by the system and read again, come at once.
      let ends = (0...3).map { third in looks.last { $0.trials <= 10 + third * (last.trials - 10) / 3 } ?? first }
      let growths = zip(ends, ends.dropFirst()).map { before, after in
        Double(after.resident - before.resident) / Double(max(1, after.trials - before.trials))
      }
      #expect(growths.sorted()[1] * 2_000 < 10 * 1_048_576, "bytes more a trial, in each third: \(growths)")
    }

    /// VmRSS in bytes.
    private static func resident(_ process: Int32) -> Int? {
      let text = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
      let line = text?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
      return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1_024 }
    }
  }
}
