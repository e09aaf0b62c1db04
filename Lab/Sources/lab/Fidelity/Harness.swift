import CBaseline
import Foundation
import StorageBackends
import StorageContract
import StorageStatistics
import StorageTrial
import StorageWorkloads

/// What the measuring loop adds to an operation that does nothing. Nothing to pair it with, so it is measured at
/// moments far apart: a shared machine is slower by a third for seconds at a time. And each time in a process of its own:
/// where its stack and its heap happen to lie makes one process in twenty slower by as much as the loop adds.
final class Harness {
  private var costs: [HarnessCost] = []

  /// What a process that measures once is started with.
  static let argument = "--harness"

  /// Measures in this process, and prints the three figures.
  static func answer() throws {
    let cost = try HarnessCost.measure(try findBackend("null"), ReadBytes(options: Options()))
    print(min(cost.clock, cb_clock_cost()), cost.single, cost.batched)
  }

  /// Measures in a new process.
  func measure() throws {
    let text = try Fidelity.outputOfOwnProcess([Self.argument])
    let figures = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    guard figures.count == 3 else {
      throw StoreError.failed("a process that measures the loop has ended without figures")
    }
    costs.append(HarnessCost(clock: figures[0], single: figures[1], batched: figures[2]))
  }

  private func median(_ figure: (HarnessCost) -> Double) -> Double {
    Quantile.median(of: costs.map(figure).sorted()) ?? .infinity
  }

  /// Beside the reading of the clock.
  private var single: Double { median { $0.single - $0.clock } }
  private var batched: Double { median(\.batched) }
  var holds: Bool { single <= 15 && batched <= 10 }

  var text: String {
    String(
      format: "harness on null, read-bytes, median of \(costs.count) processes: clock %.1f ns; "
        + "singly clock + %.1f ns (at most 15); batched %.1f ns (at most 10)  %@",
      median(\.clock), single, batched, holds ? "ok" : "MISSED")
  }
}
