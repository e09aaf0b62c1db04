import CBaseline
import Foundation
import StorageBackends
import StorageContract
import StorageStatistics
import StorageTrial
import StorageWorkloads

/// The overhead of the measuring loop on an empty operation. There is no other side to pair it with, so it is measured
/// at distant moments: a shared machine is slower by a third for seconds at a time. Each measurement runs in a
/// separate process, because the positions of stack and heap make one process in twenty slower by about the overhead
/// of the loop.
final class Harness {
  private var costs: [HarnessCost] = []

  /// The argument of a process that measures once.
  static let argument = "--harness"

  /// Measures in this process and prints the three figures as JSON.
  static func answer() throws {
    var cost = try HarnessCost.measure(try findBackend("null"), ReadBytes(options: Options()))
    cost.clock = min(cost.clock, cb_clock_cost())
    print(String(decoding: try JSONEncoder().encode(cost), as: UTF8.self))
  }

  /// Measures in a new process.
  func measure() throws {
    let text = try Fidelity.outputOfOwnProcess([Self.argument])
    guard let cost = try? JSONDecoder().decode(HarnessCost.self, from: Data(text.utf8)) else {
      throw StoreError.failed("a process that measures the loop has ended without figures")
    }
    costs.append(cost)
  }

  private func median(_ figure: (HarnessCost) -> Double) -> Double {
    Quantile.median(of: costs.map(figure).sorted()) ?? .infinity
  }

  /// The overhead of a singly timed operation, without the clock reading.
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
