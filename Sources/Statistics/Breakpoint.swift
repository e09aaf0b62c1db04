/// A number of records at which the growth of a measured value changes, for example because a cache is full.
public struct Breakpoint: Sendable, Equatable {
  // The usual F test is not valid for a breakpoint that was chosen from the data (Davies, Biometrika 74, 1987). The
  // better fit is compared with that of simulated data instead (Williams, Biometrics 26, 1970).

  /// The change at a breakpoint: another exponent of the growth (a bend), or a jump of the values (a step).
  public enum Shape: Sendable, Equatable {
    /// A change of the exponent of the growth: `from` below the breakpoint, `to` above.
    case bend(from: Double, to: Double)
    /// A jump of the measured values by this factor.
    case step(Double)
  }

  /// The change of the growth curve at the breakpoint: another exponent (a bend), or a jump of the values (a step).
  public let shape: Shape
  /// The number of records at which the growth changes, estimated from the measured numbers of records.
  public let size: Double
  /// The 95 % confidence interval of ``size``, from an F test.
  public let interval: ClosedRange<Double>

  /// The minimum number of measured sizes (numbers of records) for finding a breakpoint. A growth curve with a
  /// breakpoint has four parameters.
  public static let fewestSizes = 6
  /// The accepted probability that a breakpoint is found in random data that has no breakpoint: 0.01 is 1 %.
  static let chance = 0.01
  /// The maximum number of random data sets without a breakpoint, with which the significance of a breakpoint is
  /// tested.
  private static let draws = 999
  /// The smallest change that counts as a breakpoint: 0.1 is a jump of about 10 %, or a change of the growth exponent
  /// by 0.1.
  private static let least = 0.1
  /// The smallest gain that counts as a breakpoint. The gain is the reduction of the squared error, divided by the
  /// variance of the noise.
  private static let leastGain = 8.0

  /// Searches for a size x, such as a number of records, at which the growth of the values y changes significantly.
  ///
  /// - Parameters:
  ///   - points: The sizes x, ascending and distinct, and the values y. All are positive.
  ///   - noise: The minimum variance of the noise in ln y.
  ///   - seed: The seed of the random data with which the significance of a change is tested.
  /// - Returns: Nil if no breakpoint is found. The search needs at least ``fewestSizes`` sizes.
  public init?(_ points: [(x: Double, y: Double)], noise: Double, seed: UInt64 = 1) {
    guard points.count >= Self.fewestSizes, let models = BreakModels(points.map(\.x)) else { return nil }
    let values = points.map { log($0.y) }
    let found = models.best(values)
    let law = oneLaw(points)
    let gain = models.gain(law.error, found, noise)
    guard gain > Self.leastGain, abs(found.change) >= Self.least else { return nil }
    let spread = max(noise, law.error / Double(points.count - law.parameters)).squareRoot()
    let middle = points.map { log(law.law.predict($0.x)) }
    var random = NormalNumbers(state: seed)
    var asMuch = 0
    for _ in 0..<Self.draws {
      let drawn = middle.map { $0 + spread * random.next() }
      let other = models.best(drawn)
      // The gain over a model without a constant (a fixed cost) is an upper bound, because a constant only improves the
      // fit.
      guard models.gain(other.straightError, other, noise) >= gain else { continue }
      let one = oneLaw(zip(points, drawn).map { (x: $0.x, y: exp($1)) })
      if models.gain(one.error, other, noise) >= gain { asMuch += 1 }
      if Double(asMuch + 1) > Self.chance * Double(Self.draws + 1) { return nil }
    }
    shape = found.candidate.isStep ? .step(exp(found.change)) : .bend(from: found.slope, to: found.slope + found.change)
    (size, interval) = models.size(found, values, noise)
  }
}

/// Returns the growth model without a breakpoint that fits the points best.
private func oneLaw(_ points: [(x: Double, y: Double)]) -> (law: GrowthModel, error: Double, parameters: Int) {
  let power = GrowthModel(power: points) ?? GrowthModel(constant: 0, coefficient: 1, exponent: 0)
  let extended = GrowthModel(withConstant: points) ?? power
  let (plain, other) = (power.squaredError(points), extended.squaredError(points))
  return other < plain ? (extended, other, 3) : (power, plain, 2)
}

/// The models that are tried in the search for a breakpoint: straight lines on log-log axes with a bend or a step.
private struct BreakModels {
  // The bend or step of a candidate is orthogonal to the straight line and scaled to length 1. Two running sums give
  // all gains in linear time.
  struct Candidate {
    var logSize: Double
    var isStep: Bool
    var sides: ClosedRange<Double>
    /// The index of the first measured size above the possible breakpoint.
    var first: Int
    /// The Euclidean norm of the residuals when a straight line is fitted to a bend or step of size 1.
    var length: Double
    var slope: Double
  }

  struct Found {
    var candidate: Candidate
    var error: Double
    var straightError: Double
    /// The exponent of the growth below the breakpoint.
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
    let length = line.error.squareRoot()
    guard length > 1e-9 else { return }
    candidates.append(
      Candidate(logSize: logSize, isStep: isStep, sides: sides, first: first, length: length, slope: line.slope))
  }

  /// Returns, for each possible breakpoint, the signed square root of the reduction of the squared error. `rest` are
  /// the residuals of a fitted straight line.
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
    var best: (index: Int, gain: Double) = (0, 0)
    for (index, gain) in gains(line.rest).enumerated() where gain * gain > best.gain * best.gain {
      best = (index, gain)
    }
    let candidate = candidates[best.index]
    let change = best.gain / candidate.length
    return Found(
      candidate: candidate, error: max(0, line.error - best.gain * best.gain), straightError: line.error,
      slope: line.slope - change * candidate.slope, change: change)
  }

  private func noise(_ error: Double, _ known: Double) -> Double { max(error / freedom, known) }

  /// Returns the gain of a breakpoint: the reduction of the squared error, divided by the variance of the noise.
  ///
  /// - Parameters:
  ///   - one: The squared error without a breakpoint.
  ///   - found: The breakpoint, with the remaining squared error.
  ///   - known: The variance of the noise, if the data do not show a larger variance.
  func gain(_ one: Double, _ found: Found, _ known: Double) -> Double {
    (one - found.error) / noise(found.error, known)
  }

  func size(_ found: Found, _ values: [Double], _ known: Double) -> (Double, ClosedRange<Double>) {
    // Twice the quantile of F with 2 and d degrees of freedom, which has a closed form.
    let quantile = freedom * (pow(0.05, -2 / freedom) - 1)
    let most = found.error + quantile * noise(found.error, known)
    let near = zip(candidates, gains(Line(logs, values).rest))
      .filter { $0.isStep == found.candidate.isStep && found.straightError - $1 * $1 <= most }.map(\.0)
    let low = near.map(\.sides.lowerBound).min() ?? found.candidate.sides.lowerBound
    let high = near.map(\.sides.upperBound).max() ?? found.candidate.sides.upperBound
    return (exp(found.candidate.logSize), exp(low)...exp(high))
  }
}

/// A straight line fitted by least squares, with its residuals.
struct Line {
  let slope: Double
  let intercept: Double
  /// The sum of the squared distances of the x from their mean; 0 if all x are equal.
  let xx: Double
  let rest: [Double]
  var error: Double { rest.reduce(0) { $0 + $1 * $1 } }

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
