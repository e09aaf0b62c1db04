/// A number of records at which the growth of times changes: a cache is full, a tree gets another level, or the machine
/// runs out of memory. The growth changes in its exponent (a bend) or in its factor (a step).
///
/// A breakpoint is reported only if it explains the values better than one law of growth (a power with or without a
/// constant), and by more than chance: in fewer than one in a hundred random data sets without a breakpoint, the fit
/// may improve as much.
public struct Breakpoint: Sendable, Equatable {
  // A law with a breakpoint always fits better than one law, because it has more parameters and its breakpoint is
  // chosen after looking at the data. The usual F test is therefore not valid (R. B. Davies, "Hypothesis testing when
  // a nuisance parameter is present only under the alternative", Biometrika 74, 1987). Instead, the gain is compared
  // with the gains by chance: the same search runs on values drawn from the one law and the noise around it (D. A.
  // Williams, "Discrimination between regression models...", Biometrics 26, 1970, decided between one curve and two
  // joined ones in this way).

  /// The kind of change of the growth at a breakpoint.
  public enum Shape: Sendable, Equatable {
    /// The exponent of the growth changes from the first value to the second value.
    case bend(from: Double, to: Double)
    /// All values beyond the breakpoint are multiplied by this factor.
    case step(Double)
  }

  /// The kind of change of the growth at the breakpoint.
  public let shape: Shape
  /// The number of records at the breakpoint. For a step it is the geometric mean of the two measured sizes beside the
  /// step.
  public let place: Double
  /// The 95 % confidence interval of the breakpoint, by an F test for position and change together. It contains all
  /// sizes at which a breakpoint fits hardly worse. For a step it contains at least the measured sizes beside the step.
  public let interval: ClosedRange<Double>

  /// The minimum number of measured sizes to search for a breakpoint, since two laws of growth have four parameters.
  public static let fewestSizes = 6
  /// The share of random data sets without a breakpoint in which the search may find one by chance.
  static let chance = 0.01
  /// The number of random data sets, just enough to recognize a chance of one in a hundred.
  private static let draws = 999
  /// The smallest change of an exponent, or of a factor's logarithm, that counts as a breakpoint. A smaller change is
  /// ignored even if it is certain.
  private static let least = 0.1
  /// The improvement of the fit, in multiples of the noise, that a breakpoint needs at least. A smaller improvement
  /// occurs in more than one in a hundred random data sets, so it is rejected without making them.
  private static let leastGain = 8.0

  /// Searches for a breakpoint in the growth of values.
  ///
  /// - Parameters:
  ///   - points: Positive coordinates, by ascending x, each x once.
  ///   - noise: A lower bound of the variance of ln y.
  ///   - seed: The seed of the random draws.
  /// - Returns: Nil if one law suffices, or if there are too few sizes.
  public init?(_ points: [(x: Double, y: Double)], noise: Double, seed: UInt64 = 1) {
    guard points.count >= Self.fewestSizes, let models = BreakModels(points.map(\.x)) else { return nil }
    let values = points.map { log($0.y) }
    let found = models.best(values)
    let law = OneLaw(points)
    let gain = models.gain(law.error, found, noise)
    guard gain > Self.leastGain, models.change(found) >= Self.least else { return nil }
    // Draws have the same number of values as the data and the same scatter around the one law.
    let spread = max(noise, law.error / Double(points.count - law.parameters)).squareRoot()
    let middle = points.map { log(law.law.predict($0.x)) }
    var random = NormalNumbers(state: seed)
    var asMuch = 0
    for _ in 0..<Self.draws {
      let drawn = middle.map { $0 + spread * random.next() }
      let other = models.best(drawn)
      // One law with a constant fits at least as well as one without. If the gain over the law without a constant is
      // too small, no further fit is needed.
      guard models.gain(other.straightError, other, noise) >= gain else { continue }
      let one = OneLaw(zip(points, drawn).map { (x: $0.x, y: exp($1)) })
      if models.gain(one.error, other, noise) >= gain { asMuch += 1 }
      if Double(asMuch + 1) > Self.chance * Double(Self.draws + 1) { return nil }
    }
    shape = models.shape(found)
    (place, interval) = models.place(found, values, noise)
  }
}

/// The law of growth without a breakpoint that fits measured points best, by the squares of ln(y / law).
private struct OneLaw {
  let law: GrowthModel
  let error: Double
  let parameters: Int

  init(_ points: [(x: Double, y: Double)]) {
    func error(_ law: GrowthModel) -> Double {
      points.reduce(0) { sum, point in
        let distance = log(point.y / law.predict(point.x))
        return sum + distance * distance
      }
    }
    let power = GrowthModel(power: points) ?? GrowthModel(constant: 0, coefficient: 1, exponent: 0)
    let extended = GrowthModel(withConstant: points) ?? power
    let (plain, other) = (error(power), error(extended))
    (law, self.error, parameters) = other < plain ? (extended, other, 3) : (power, plain, 2)
  }
}

/// All breakpoints to try for given sizes. With a breakpoint, a straight line on log-log axes gets an additional term,
/// for a bend or a step.
private struct BreakModels {
  // The term is made independent of the straight line and scaled to length 1. The reduction of the squared error is
  // then the square of one sum. The residuals of the line are also independent of the line, so the sum can be computed
  // with the original term. Two running sums therefore give the gains of all candidates, and a draw takes time
  // proportional to the number of sizes.
  struct Candidate {
    var place: Double
    var isStep: Bool
    var sides: ClosedRange<Double>
    /// The index of the first size beyond the breakpoint.
    var first: Int
    /// The length (norm) of the residuals after a straight line is fitted to the additional term. ``slope`` is the
    /// slope of this line.
    var length: Double
    var slope: Double
  }

  struct Found {
    var candidate: Candidate
    /// The sum of squared errors with the best breakpoint.
    var error: Double
    /// The sum of squared errors of a power law without a breakpoint.
    var straightError: Double
    /// The exponent before the breakpoint. For a bend, ``change`` is added to it. For a step, ``change`` is the
    /// factor's logarithm.
    var slope: Double
    var change: Double
  }

  private let logs: [Double]
  private var candidates: [Candidate] = []
  private var freedom: Double { Double(logs.count - 4) }

  /// Lists the breakpoints to try, with at least two sizes on each side. The result is nil if the sizes are not
  /// ascending.
  init?(_ sizes: [Double]) {
    logs = sizes.map { log($0) }
    guard zip(logs, logs.dropFirst()).allSatisfy({ $0 < $1 - 1e-9 }) else { return nil }
    let steps = 8
    for gap in 1..<logs.count - 2 {
      let (left, right) = (logs[gap], logs[gap + 1])
      add(place: (left + right) / 2, isStep: true, left...right, first: gap + 1)
      for step in 0...steps where step < steps || gap == logs.count - 3 {
        let width = (right - left) / Double(steps)
        let place = left + width * Double(step)
        // A breakpoint between two candidates is found at the nearer one.
        add(place: place, isStep: false, place - width...place + width, first: gap + 1)
      }
    }
  }

  private mutating func add(place: Double, isStep: Bool, _ sides: ClosedRange<Double>, first: Int) {
    let line = Line(logs, logs.indices.map { $0 < first ? 0 : isStep ? 1 : max(0, logs[$0] - place) })
    let length = line.rest.reduce(0) { $0 + $1 * $1 }.squareRoot()
    guard length > 1e-9 else { return }
    candidates.append(
      Candidate(place: place, isStep: isStep, sides: sides, first: first, length: length, slope: line.slope))
  }

  /// Returns, for each breakpoint to try, the square root of its improvement, with a sign. The improvement is the
  /// amount by which the breakpoint reduces the squared error of a straight line with these residuals.
  private func gains(_ rest: [Double]) -> [Double] {
    var beyond = [(sum: Double, moment: Double)](repeating: (0, 0), count: rest.count + 1)
    for place in rest.indices.reversed() {
      beyond[place].sum = beyond[place + 1].sum + rest[place]
      beyond[place].moment = beyond[place + 1].moment + rest[place] * logs[place]
    }
    return candidates.map { candidate in
      let (sum, moment) = beyond[candidate.first]
      return (candidate.isStep ? sum : moment - candidate.place * sum) / candidate.length
    }
  }

  func best(_ values: [Double]) -> Found {
    let line = Line(logs, values)
    let all = line.rest.reduce(0) { $0 + $1 * $1 }
    var best: (place: Int, gain: Double) = (0, 0)
    for (place, gain) in gains(line.rest).enumerated() where gain * gain > best.gain * best.gain {
      best = (place, gain)
    }
    let candidate = candidates[best.place]
    let change = best.gain / candidate.length
    return Found(
      candidate: candidate, error: max(0, all - best.gain * best.gain), straightError: all,
      slope: line.slope - change * candidate.slope, change: change)
  }

  /// Returns the variance of the values around a fit with a breakpoint, but at least the known variance.
  private func noise(_ error: Double, _ known: Double) -> Double { max(error / freedom, known) }

  /// Returns the reduction of the squared error by a law with a breakpoint instead of one law, in multiples of the
  /// noise.
  func gain(_ one: Double, _ found: Found, _ known: Double) -> Double {
    (one - found.error) / noise(found.error, known)
  }

  func change(_ found: Found) -> Double { abs(found.change) }

  func shape(_ found: Found) -> Breakpoint.Shape {
    found.candidate.isStep
      ? .step(exp(found.change)) : .bend(from: found.slope, to: found.slope + found.change)
  }

  func place(_ found: Found, _ values: [Double], _ known: Double) -> (Double, ClosedRange<Double>) {
    let line = Line(logs, values)
    let all = line.rest.reduce(0) { $0 + $1 * $1 }
    // Twice the quantile of F with 2 and d degrees of freedom, which has a closed form.
    let quantile = freedom * (pow(0.05, -2 / freedom) - 1)
    let most = found.error + quantile * noise(found.error, known)
    let near = zip(candidates, gains(line.rest)).filter { $0.isStep == found.candidate.isStep && all - $1 * $1 <= most }
      .map(\.0)
    let low = near.map(\.sides.lowerBound).min() ?? found.candidate.sides.lowerBound
    let high = near.map(\.sides.upperBound).max() ?? found.candidate.sides.upperBound
    return (exp(found.candidate.place), exp(low)...exp(high))
  }
}

/// A straight line fitted by least squares, with its residuals.
private struct Line {
  let slope: Double
  let rest: [Double]

  init(_ x: [Double], _ y: [Double]) {
    let count = Double(x.count)
    let (meanX, meanY) = (x.reduce(0, +) / count, y.reduce(0, +) / count)
    let xx = x.reduce(0) { $0 + ($1 - meanX) * ($1 - meanX) }
    let xy = zip(x, y).reduce(0) { $0 + ($1.0 - meanX) * ($1.1 - meanY) }
    let slope = xy / xx
    self.slope = slope
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
