/// A number of records at which the growth of a measured value changes, for example because a cache is full. At a bend,
/// the exponent of the growth changes. At a step, the values are multiplied by a factor.
///
/// Without a change of the growth, at most 1 % of all searches find a breakpoint by chance.
public struct Breakpoint: Sendable, Equatable {
  // The usual F test is not valid, because the breakpoint is chosen after looking at the data (R. B. Davies,
  // "Hypothesis testing when a nuisance parameter is present only under the alternative", Biometrika 74, 1987).
  // Instead, the gain is compared with gains by chance: the same search on values drawn from the one law and its noise
  // (D. A. Williams, "Discrimination between regression models...", Biometrics 26, 1970).

  /// The change at a breakpoint: another exponent of the growth (a bend), or a jump of the values (a step).
  public enum Shape: Sendable, Equatable {
    /// A change of the exponent with which the measured values grow. `from` applies below the breakpoint, and `to`
    /// above. With the exponent 1, for example, a time is proportional to the number of records.
    case bend(from: Double, to: Double)
    /// A jump of the measured values at a certain number of records, the breakpoint. With more records, the values are
    /// multiplied by this factor.
    case step(Double)
  }

  /// The change at the breakpoint: a bend with two exponents, or a step with a factor.
  public let shape: Shape
  /// The number of records at which the growth of the measured values changes. A step between two measured numbers of
  /// records, such as 100 and 10,000, is placed at their geometric mean: 1,000.
  public let size: Double
  /// The 95 % confidence interval of ``size``. It comes from an F test of two parameters together: the size and the
  /// amount of the change. For a step (a jump of the values), it contains at least the measured sizes directly below
  /// and above.
  public let interval: ClosedRange<Double>

  /// The minimum number of measured sizes (numbers of records) for the search for a breakpoint, at which the growth
  /// changes. A power law with a breakpoint has four parameters.
  public static let fewestSizes = 6
  /// The accepted probability of finding a breakpoint (a change of the growth) in random data without a breakpoint.
  static let chance = 0.01
  /// The maximum number of random data sets that are drawn to test a possible breakpoint. At a breakpoint, the growth
  /// of the measured values changes. The data sets have no breakpoint, so they show how large a change can occur by
  /// chance.
  private static let draws = 999
  /// The minimum change that is reported as a breakpoint. For a bend, the exponent of the growth must change by at
  /// least 0.1, such as from 1.0 to 1.1. For a step, the values must jump by at least about 10 % (0.1 on a natural
  /// logarithmic scale).
  private static let least = 0.1
  /// The minimum gain of a growth model with a breakpoint over a model without one: the reduction of the squared error,
  /// divided by the variance of the noise. A smaller gain occurs by chance in more than one of a hundred data sets.
  private static let leastGain = 8.0

  /// Searches for a breakpoint: a size x at which the growth of the values y changes. A breakpoint counts only if at
  /// most 1 % of random data sets without a breakpoint seem to have one that is as clear.
  ///
  /// - Parameters:
  ///   - points: The sizes x, ascending and distinct, and the values y. All are positive.
  ///   - noise: The minimum variance of the noise in ln y.
  ///   - seed: The seed of the random data sets.
  /// - Returns: Nil if no clear breakpoint is found, or for fewer than ``fewestSizes`` sizes.
  public init?(_ points: [(x: Double, y: Double)], noise: Double, seed: UInt64 = 1) {
    guard points.count >= Self.fewestSizes, let models = BreakModels(points.map(\.x)) else { return nil }
    let values = points.map { log($0.y) }
    let found = models.best(values)
    let law = OneLaw(points)
    let gain = models.gain(law.error, found, noise)
    guard gain > Self.leastGain, models.change(found) >= Self.least else { return nil }
    let spread = max(noise, law.error / Double(points.count - law.parameters)).squareRoot()
    let middle = points.map { log(law.law.predict($0.x)) }
    var random = NormalNumbers(state: seed)
    var asMuch = 0
    for _ in 0..<Self.draws {
      let drawn = middle.map { $0 + spread * random.next() }
      let other = models.best(drawn)
      // The gain over a law without a constant is an upper bound, because a law with a constant fits at least as well.
      guard models.gain(other.straightError, other, noise) >= gain else { continue }
      let one = OneLaw(zip(points, drawn).map { (x: $0.x, y: exp($1)) })
      if models.gain(one.error, other, noise) >= gain { asMuch += 1 }
      if Double(asMuch + 1) > Self.chance * Double(Self.draws + 1) { return nil }
    }
    shape = models.shape(found)
    (size, interval) = models.size(found, values, noise)
  }
}

/// The growth model without a breakpoint that fits the points best.
private struct OneLaw {
  let law: GrowthModel
  let error: Double
  let parameters: Int

  init(_ points: [(x: Double, y: Double)]) {
    let power = GrowthModel(power: points) ?? GrowthModel(constant: 0, coefficient: 1, exponent: 0)
    let extended = GrowthModel(withConstant: points) ?? power
    let (plain, other) = (power.squaredError(points), extended.squaredError(points))
    (law, self.error, parameters) = other < plain ? (extended, other, 3) : (power, plain, 2)
  }
}

/// The models that are tried in the search for a breakpoint: straight lines on log-log axes with a bend or a step.
private struct BreakModels {
  // Each term is made orthogonal to the straight line and scaled to length 1, so its gain is the square of one sum over
  // the line's residuals. Two running sums give the gains of all candidates in linear time.
  struct Candidate {
    var logSize: Double
    var isStep: Bool
    var sides: ClosedRange<Double>
    /// The index of the first measured size above the possible breakpoint, at which the growth of the measured values
    /// may change.
    var first: Int
    /// The Euclidean length of the residuals of a straight line fitted to the change alone. The change is a bend of
    /// slope 1, or a step of height 1. Gains are divided by this length, so that different breakpoints can be compared.
    var length: Double
    var slope: Double
  }

  struct Found {
    var candidate: Candidate
    var error: Double
    var straightError: Double
    /// The exponent with which the measured values grow below the breakpoint. Above the breakpoint, ``change`` is added
    /// to the exponent (a bend), or to the logarithms of the values (a step).
    var slope: Double
    var change: Double
  }

  private let logs: [Double]
  private var candidates: [Candidate] = []
  private var freedom: Double { Double(logs.count - 4) }

  init?(_ sizes: [Double]) {
    logs = sizes.map { log($0) }
    guard zip(logs, logs.dropFirst()).allSatisfy({ $0 < $1 - 1e-9 }) else { return nil }
    let steps = 8
    for gap in 1..<logs.count - 2 {
      let (left, right) = (logs[gap], logs[gap + 1])
      add(logSize: (left + right) / 2, isStep: true, left...right, first: gap + 1)
      for step in 0...steps where step < steps || gap == logs.count - 3 {
        let width = (right - left) / Double(steps)
        let logSize = left + width * Double(step)
        // The true breakpoint may be up to one step away, since the nearest candidate is found.
        add(logSize: logSize, isStep: false, logSize - width...logSize + width, first: gap + 1)
      }
    }
  }

  private mutating func add(logSize: Double, isStep: Bool, _ sides: ClosedRange<Double>, first: Int) {
    let line = Line(logs, logs.indices.map { $0 < first ? 0 : isStep ? 1 : max(0, logs[$0] - logSize) })
    let length = line.rest.reduce(0) { $0 + $1 * $1 }.squareRoot()
    guard length > 1e-9 else { return }
    candidates.append(
      Candidate(logSize: logSize, isStep: isStep, sides: sides, first: first, length: length, slope: line.slope))
  }

  /// Returns the gain of each possible breakpoint: the improvement of a straight line that bends or jumps there. A gain
  /// of 3 reduces the squared error by 9. A gain is negative if the values grow more slowly or drop beyond the
  /// breakpoint. `rest` contains the residuals of the line without a breakpoint.
  private func gains(_ rest: [Double]) -> [Double] {
    var beyond = [(sum: Double, moment: Double)](repeating: (0, 0), count: rest.count + 1)
    for index in rest.indices.reversed() {
      beyond[index].sum = beyond[index + 1].sum + rest[index]
      beyond[index].moment = beyond[index + 1].moment + rest[index] * logs[index]
    }
    return candidates.map { candidate in
      let (sum, moment) = beyond[candidate.first]
      return (candidate.isStep ? sum : moment - candidate.logSize * sum) / candidate.length
    }
  }

  func best(_ values: [Double]) -> Found {
    let line = Line(logs, values)
    let all = line.rest.reduce(0) { $0 + $1 * $1 }
    var best: (index: Int, gain: Double) = (0, 0)
    for (index, gain) in gains(line.rest).enumerated() where gain * gain > best.gain * best.gain {
      best = (index, gain)
    }
    let candidate = candidates[best.index]
    let change = best.gain / candidate.length
    return Found(
      candidate: candidate, error: max(0, all - best.gain * best.gain), straightError: all,
      slope: line.slope - change * candidate.slope, change: change)
  }

  private func noise(_ error: Double, _ known: Double) -> Double { max(error / freedom, known) }

  /// Returns the gain of a model with the breakpoint `found` over a model without one. The gain is the reduction of the
  /// squared error `one` of the simpler model, divided by the variance of the noise. The variance is at least `known`.
  func gain(_ one: Double, _ found: Found, _ known: Double) -> Double {
    (one - found.error) / noise(found.error, known)
  }

  func change(_ found: Found) -> Double { abs(found.change) }

  func shape(_ found: Found) -> Breakpoint.Shape {
    found.candidate.isStep
      ? .step(exp(found.change)) : .bend(from: found.slope, to: found.slope + found.change)
  }

  func size(_ found: Found, _ values: [Double], _ known: Double) -> (Double, ClosedRange<Double>) {
    let line = Line(logs, values)
    let all = line.rest.reduce(0) { $0 + $1 * $1 }
    // Twice the quantile of F with 2 and d degrees of freedom, which has a closed form.
    let quantile = freedom * (pow(0.05, -2 / freedom) - 1)
    let most = found.error + quantile * noise(found.error, known)
    let near = zip(candidates, gains(line.rest)).filter { $0.isStep == found.candidate.isStep && all - $1 * $1 <= most }
      .map(\.0)
    let low = near.map(\.sides.lowerBound).min() ?? found.candidate.sides.lowerBound
    let high = near.map(\.sides.upperBound).max() ?? found.candidate.sides.upperBound
    return (exp(found.candidate.logSize), exp(low)...exp(high))
  }
}

/// A straight line fitted by least squares, with its residuals.
struct Line {
  let slope: Double
  let intercept: Double
  /// The sum of the squared distances of the x from their mean; 0 if all x are equal, so that no line fits.
  let xx: Double
  let rest: [Double]

  init(_ x: [Double], _ y: [Double]) {
    let count = Double(x.count)
    let (meanX, meanY) = (x.reduce(0, +) / count, y.reduce(0, +) / count)
    xx = x.reduce(0) { $0 + ($1 - meanX) * ($1 - meanX) }
    let xy = zip(x, y).reduce(0) { $0 + ($1.0 - meanX) * ($1.1 - meanY) }
    let slope = xy / xx
    self.slope = slope
    intercept = meanY - slope * meanX
    rest = zip(x, y).map { $1 - meanY - slope * ($0 - meanX) }
  }
}

/// A generator of normally distributed numbers: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) and Marsaglia's polar
/// method (SIAM Review 6, 1964).
struct NormalNumbers {
  private var state: UInt64
  private var kept: Double?

  init(state: UInt64) { self.state = state }

  private mutating func uniform() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((mixed ^ (mixed >> 31)) >> 11) * 0x1p-53
  }

  mutating func next() -> Double {
    if let kept {
      self.kept = nil
      return kept
    }
    while true {
      let (u, v) = (2 * uniform() - 1, 2 * uniform() - 1)
      let square = u * u + v * v
      guard square > 0, square < 1 else { continue }
      let factor = (-2 * log(square) / square).squareRoot()
      kept = v * factor
      return u * factor
    }
  }
}
