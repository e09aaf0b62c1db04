import Foundation
import Testing

extension EndToEnd.Enduring {
  @Suite struct MemoryTests {
    @Test func theParentStaysSmall() async throws {
      let workplace = Workplace()
      let rounds = 600
      let program = try workplace.start(
        "run --allow-debug -q -b null -w read-one -n 10 --trial-time 5ms --rounds \(rounds) -o run".words)
      var looks: [(trials: Int, resident: Int)] = []
      while program.isRunning {
        let trials = workplace.trialCount("run")
        if trials >= 10, let resident = Self.resident(program.identifier) { looks.append((trials, resident)) }
        try await Task.sleep(nanoseconds: 200_000_000)
      }
      await program.finish(exits: 0)
      let (first, last) = (try #require(looks.first), try #require(looks.last))
      // The last reading is shortly before the end.
      #expect(last.trials >= rounds - 50)
      #expect(last.resident - first.resident < 10 << 20, "bytes more after \(last.trials) trials")
      // A leak grows all the time, and so in at least two thirds of the run. Pages of the program that are read, or
      // evicted and read again, come all at once.
      let ends = (0...3).map { third in looks.last { $0.trials <= 10 + third * (last.trials - 10) / 3 } ?? first }
      let growths = zip(ends, ends.dropFirst()).map { before, after in
        Double(after.resident - before.resident) / Double(max(1, after.trials - before.trials))
      }
      #expect(growths.sorted()[1] * 2_000 < 10 * 1_048_576, "bytes more a trial, in each third: \(growths)")
    }

    /// Returns VmRSS in bytes.
    private static func resident(_ process: Int32) -> Int? {
      let text = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
      let line = text?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
      return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1_024 }
    }
  }
}
