import CBaseline
import Foundation
import StorageBackends
import StorageBench
import StorageContract
import StorageWorkloads

/// What the measuring loop adds to an operation that does nothing. Nothing to pair it with, so it is measured at
/// moments far apart, and the least counts: a shared machine is slower by a third for seconds at a time.
final class Harness {
  private(set) var clock = Double.infinity
  private(set) var batched = Double.infinity
  private var timedSingly = Double.infinity
  private let backend: any StorageBackend.Type

  init() throws {
    backend = try findBackend("null")
    try measure()
  }

  func measure() throws {
    let cost = try HarnessCost.measure(backend, ReadBytes(options: Options()))
    clock = min(clock, cost.clock, cb_clock_cost())
    timedSingly = min(timedSingly, cost.single)
    batched = min(batched, cost.batched)
  }

  /// Beside the reading of the clock.
  var single: Double { timedSingly - clock }
  var holds: Bool { single <= 15 && batched <= 10 }

  var text: String {
    String(
      format: "harness on null, read-bytes: clock %.1f ns; singly clock + %.1f ns (at most 15); "
        + "batched %.1f ns (at most 10)  %@",
      clock, single, batched, holds ? "ok" : "MISSED")
  }
}
