import StorageRunFiles
import StorageStatistics

/// What the samples of a run say.
public enum MachineFitness {
  /// Why no time may be judged, or nil if the machine was fit.
  public static func defect(_ samples: [ProbeSample]) -> String? {
    let series = [
      ("an integer loop", samples.map(\.loop)), ("writing 1 MiB with a sync", samples.compactMap(\.write)),
    ]
    for (name, values) in series {
      switch Fitness.defect(of: values) {
      case .tooFew(let count): return "\(name) was only tried \(count) times"
      case .spread(let spread):
        return
          "\(name), tried \(values.count) times, scatters by \(NumberFormat.plusMinus(spread)) (a quiet machine: up to 30 %)"
      case .outliers(let share):
        return
          "\(name), tried \(values.count) times, took more than twice its usual time in \(Int((share * 100).rounded())) % of them"
      case nil: break
      }
    }
    guard let first = samples.first, let last = samples.last, let before = first.steal, let after = last.steal,
      let start = first.ticks, let end = last.ticks, let share = Fitness.excessiveSteal(after - before, of: end - start)
    else { return nil }
    return "the hypervisor gave \(Int((share * 100).rounded())) % of the time to others"
  }
}
