import StorageContract
import StorageRunFiles
import Testing

@testable import StorageBench

@Suite struct ScheduleTests {
  private let cells = ["a", "b", "c", "d"].flatMap { backend in
    [1_000, 100, 10_000].map { PlannedCell.sample(backend, records: $0) }
  }

  @Test func everyRoundRunsEachCellOnce() {
    let plan = Plan(seed: 1, rounds: 20, cells: cells)
    for round in 1...20 { #expect(plan.order(round: round).sorted() == Array(cells.indices)) }
  }

  @Test func theOrderIsThatOfSeedAndRound() {
    let plan = Plan(seed: 1, rounds: 20, cells: cells)
    #expect(plan.order(round: 2) == Plan(seed: 1, rounds: 20, cells: cells).order(round: 2))
    #expect(plan.order(round: 2) != Plan(seed: 2, rounds: 20, cells: cells).order(round: 2))
    #expect(Set((1...6).map { plan.order(round: $0) }).count == 6)
  }

  @Test(arguments: UInt64(0)..<20)
  func smallerSizesComeFirstInTheFirstRound(seed: UInt64) {
    let plan = Plan(seed: seed, rounds: 20, cells: cells)
    let order = plan.order(round: 1).map { cells[$0].cell }
    for backend in ["a", "b", "c", "d"] {
      #expect(order.filter { $0.backend.id == backend }.map(\.records) == [100, 1_000, 10_000])
    }
    // The order is shuffled: backends are not run one after the other.
    #expect(order.map(\.backend.id) != order.map(\.backend.id).sorted())
  }

  @Test func everyPositionIsTakenByEveryCell() {
    // Over many rounds each cell comes first about equally often, so a drift affects all cells alike.
    let plan = Plan(seed: 3, rounds: 20, cells: cells)
    var firsts = Array(repeating: 0, count: cells.count)
    for round in 2..<1_202 { firsts[plan.order(round: round)[0]] += 1 }
    // 100 times each is expected. This is χ² with 11 degrees of freedom, which exceeds 31.3 for one seed in a thousand.
    #expect(firsts.reduce(0.0) { $0 + Double(($1 - 100) * ($1 - 100)) / 100 } < 31.3)
  }

  @Test func refusedCellsAreNotRun() {
    var cells = cells
    cells[4].refusal = PlannedCell.Refusal(status: .notAvailable, note: "missing")
    #expect(!Plan(seed: 1, rounds: 20, cells: cells).order(round: 1).contains(4))
    #expect(Plan(seed: 1, rounds: 20, cells: cells).order(round: 1).count == 11)
  }
}

@Suite struct PredictionTests {
  /// Returns the prediction for a cell, after times of the sample cell with other numbers of records.
  private func predicted(_ cell: Cell, after times: KeyValuePairs<Int, Double>) -> Double? {
    var prediction = Prediction()
    for (records, time) in times { prediction.note(.sample(records: records), nanoseconds: time) }
    return prediction.nanoseconds(cell)
  }

  @Test func aPowerLawThroughTheTwoLargestSizes() throws {
    #expect(predicted(.sample(records: 10_000), after: [100: 1]) == nil)
    // Only the two largest sizes count: from 1,000 to 10,000 records the time grew tenfold.
    let times: KeyValuePairs = [100: 1.0, 1_000: 1_000, 10_000: 10_000]
    #expect(abs(try #require(predicted(.sample(records: 1_000_000), after: times)) - 1_000_000) < 1)
  }

  /// The factor of the law through such near sizes can be infinite or not a number.
  @Test(arguments: [1.0215, 0.979, 2, 0.5]) func sizesCloseTogether(ratio: Double) throws {
    let found = try #require(predicted(.sample(records: 4_097), after: [4_095: 5_000, 4_096: 5_000 * ratio]))
    #expect(abs(found / (5_000 * ratio * ratio) - 1) < 0.01)
  }

  @Test(arguments: [
    Cell.sample("other", records: 10_000), .sample("page", "import", records: 10_000),
    .sample(records: 10_000, durability: .durable), .sample(records: 1_000),
  ])
  func otherRowsTellNothing(cell: Cell) {
    #expect(predicted(cell, after: [100: 100, 1_000: 1_000]) == nil)
  }

  @Test func whatWasNotMeasuredIsNotNoted() {
    #expect(predicted(.sample(records: 10_000), after: [100: 0, 1_000: 5]) == nil)
  }
}

@Suite struct ProgressTests {
  private let plan = Plan(rounds: 3, cells: [.sample("a"), .sample("b"), .sample("c")])

  @Test func countsWhatIsLeft() {
    var progress = Progress(plan: plan)
    #expect(progress.estimate.total == 12)
    #expect(progress.done == 0)
    #expect(progress.needs(0, round: 1) && !progress.hasValue(.sample("a")))
    progress.note(.sample(.sample("a"), round: 1))
    #expect(!progress.needs(0, round: 1))
    #expect(progress.hasValue(.sample("a")) && !progress.hasValue(.sample("b")))
    #expect(progress.needs(0, round: 2))
    #expect(progress.needs(0, .cost))
    progress.note(.sample(.sample("a"), .cost))
    #expect(!progress.needs(0, .cost))
    // A trial of a cell of another run changes nothing.
    progress.note(.sample(.sample("z")))
    #expect(progress.done == 2)
    #expect(progress.estimate.total == 12)
    #expect(progress.isOK)
  }

  @Test func aFailedCellIsLeftAlone() {
    var progress = Progress(plan: plan)
    progress.note(.sample(.sample("b"), round: 1, status: .failed, timing: nil))
    #expect(!progress.isOK)
    #expect(!progress.needs(1, round: 2))
    #expect(!progress.needs(1, .cost))
    #expect(progress.needs(0, round: 1))
    #expect(progress.estimate.total == 1 + 8)
  }

  @Test func aCellOverTheLimitIsTimedOnce() {
    var progress = Progress(plan: plan)
    progress.note(.sample(.sample("a"), timing: .sample(251_000_000, operations: 1)))
    #expect(!progress.needs(0, round: 2))
    #expect(progress.needs(0, .cost))
    progress.note(.sample(.sample("b"), timing: .sample(250_000_000, operations: 1)))
    #expect(progress.needs(1, round: 2))
    #expect(progress.estimate.total == 2 + 8)
    // A slow trial of a later round is a disturbance. A cell without all its rounds could not be compared with others.
    progress.note(.sample(.sample("b"), round: 2, timing: .sample(251_000_000, operations: 1)))
    #expect(progress.needs(1, round: 3))
  }

  @Test func refusedCellsAreNoTrials() {
    let refusal = PlannedCell.Refusal(status: .notAvailable, note: "missing")
    let progress = Progress(plan: Plan(rounds: 3, cells: [.sample("a"), .sample("b", refusal: refusal)]))
    #expect(progress.estimate.total == 4)
    #expect(!progress.needs(1, round: 1))
    #expect(!progress.needs(1, .cost))
  }

  @Test func onceIsOneTrialOfEach() {
    let progress = Progress(plan: Plan(rounds: 0, once: true, cells: plan.cells))
    #expect(progress.estimate.total == 3)
  }

  @Test(arguments: [(0, 40, 0), (20, 40, 10), (40, 40, 20), (0, 0, 0)])
  func theBarFills(done: Int, trials: Int, full: Int) {
    let bar = String(repeating: "#", count: full) + String(repeating: "-", count: 20 - full)
    #expect(ProgressDisplay.bar(done, of: trials) == "[\(bar)]")
  }

  @Test func theTimeLeftShrinks() {
    var progress = Progress(plan: plan)
    var last = progress.estimate.secondsLeft
    for round in 1...3 {
      for backend in ["a", "b", "c"] {
        progress.note(.sample(.sample(backend), round: round))
        #expect(progress.estimate.secondsLeft < last)
        last = progress.estimate.secondsLeft
      }
    }
    for backend in ["a", "b", "c"] { progress.note(.sample(.sample(backend), .cost)) }
    #expect(progress.estimate.secondsLeft == 0)
  }
}
