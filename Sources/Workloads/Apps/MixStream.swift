import StorageContract

/// One operation of a mix.
struct MixOperation: Equatable {
  /// The kind of an operation.
  enum Kind: String, CaseIterable, Sendable {
    /// One record as Swift values.
    case read
    /// One field of a record, and its time of change, without reading it first.
    case update
    /// A new record.
    case insert
    /// Records in key order.
    case scan
    /// A record read, one field of it changed, and stored again.
    case readModifyWrite = "rmw"

    /// The effect on a record, for `list`.
    var help: String {
      switch self {
      case .read: "read a record"
      case .update: "change a field of one"
      case .insert: "add one"
      case .scan: "read several in key order"
      case .readModifyWrite: "read a record, and store it changed"
      }
    }
  }

  var kind: Kind
  /// The item's number; of an insertion the new one's.
  var item: Int
  /// Records of a scan at most; else 0.
  var length: Int
}

/// The operations of a mix, each a function of the seed and of its number.
///
/// Which items there are depends on the insertions before: asked in order, as they mostly are, it counts on from the
/// last one; asked for an earlier one, it begins again.
struct MixStream {
  let settings: MixSettings
  private let seed: UInt64
  /// Items in the beginning.
  let items: Int
  private let bounds: [(kind: MixOperation.Kind, bound: Double)]
  private var generator: any ItemGenerator
  private var next = 0
  private var there: Int

  /// Describes a stream over so many items.
  init(_ settings: MixSettings, seed: UInt64, items: Int) {
    self.settings = settings
    self.seed = seed
    self.items = items
    there = items
    var sum = 0.0
    bounds = MixOperation.Kind.allCases.compactMap { kind in
      guard let share = settings.shares[kind], share > 0 else { return nil }
      sum += share
      return (kind, sum)
    }
    // YCSB reserves room for twice the insertions that it expects, with as many operations as records in its files.
    let room = Int((2 * Double(items) * (settings.shares[.insert] ?? 0) / 100).rounded(.up))
    generator = settings.distribution.generator(items: items, room: room)
  }

  /// Returns the operation with a number, from 0.
  mutating func operation(_ number: Int) -> MixOperation {
    if number < next { (next, there) = (0, items) }
    while next < number {
      if kind(next) == .insert { there += 1 }
      next += 1
    }
    let kind = kind(number)
    if kind == .insert { return MixOperation(kind: kind, item: there, length: 0) }
    var random = RandomStream(seed: seed, .key, number)
    let item = generator.item(of: there, &random)
    guard kind == .scan else { return MixOperation(kind: kind, item: item, length: 0) }
    var lengths = RandomStream(seed: seed, .length, number)
    return MixOperation(kind: kind, item: item, length: 1 + lengths.below(settings.longestScan))
  }

  private func kind(_ number: Int) -> MixOperation.Kind {
    var random = RandomStream(seed: seed, .kind, number)
    let share = random.fraction() * 100
    return bounds.first { share < $0.bound }?.kind ?? bounds[bounds.count - 1].kind
  }
}
