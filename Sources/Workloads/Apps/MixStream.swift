import StorageContract

struct MixOperation: Equatable {
  enum Kind: String, CaseIterable, Sendable {
    /// A read of one record, with all fields as Swift values.
    case read
    /// A change of one field of a record and of its modification time, without reading the record first.
    case update
    case insert
    /// A read of successive records in key order.
    case scan
    /// A read of a record, then a save of that record with one field and the modification time changed.
    case readModifyWrite = "rmw"
    case delete

    var help: String {
      switch self {
      case .read: "read a record"
      case .update: "change a field of one"
      case .insert: "add one"
      case .scan: "read several in key order"
      case .readModifyWrite: "read a record, and store it changed"
      case .delete: "remove one; at most as many as are added"
      }
    }
  }

  var kind: Kind
  /// The number of the record that the operation uses or adds, counted from 0 in the order of insertion.
  var item: Int
  /// The maximum number of records that a scan reads; 0 for other operations.
  var length: Int
}

/// A generator of random operations for the workload `mix`. A request for an earlier operation restarts the generator.
struct MixStream {
  let settings: MixSettings
  private let seed: UInt64
  /// The number of records before the first operation.
  let items: Int
  private let bounds: [(kind: MixOperation.Kind, bound: Double)]
  private var generator: any ItemGenerator
  private var next = 0
  /// The number of records that have been inserted before the current operation, including initial records and deleted
  /// records.
  private(set) var there: Int

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
    // YCSB reserves room for twice the insertions expected in as many operations as there are records.
    let room = Int((2 * Double(items) * (settings.shares[.insert] ?? 0) / 100).rounded(.up))
    generator = settings.distribution.generator(items: items, room: room)
  }

  /// Returns the operation with the given number, counted from 0.
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
