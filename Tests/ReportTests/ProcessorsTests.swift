import Foundation
import StorageRunFiles
import Testing

@Suite struct ProcessorsTests {
  @Test(arguments: [0, 1, 2, 1_000]) func resultsAreInTheirOrder(count: Int) {
    #expect(Processors.map(count) { $0 * $0 } == (0..<count).map { $0 * $0 })
  }

  /// Both halves of each inner call wait for each other, which only two threads can.
  @Test(.enabled(if: ProcessInfo.processInfo.activeProcessorCount > 1))
  func aCallWithinACallIsSharedToo() {
    let met = Processors.map(ProcessInfo.processInfo.activeProcessorCount) { _ in
      let arrived = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      return Processors.map(2) { half in
        (half == 0 ? arrived.0 : arrived.1).signal()
        return (half == 0 ? arrived.1 : arrived.0).wait(timeout: .now() + 60) == .success
      }
    }
    #expect(met.joined().allSatisfy { $0 })
  }
}
