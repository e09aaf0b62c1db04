import StorageContract

/// A list on the screen while records are saved.
public struct LiveList: Workload {
  static let observers = OptionSpec("observers", ["1", "0", "10"], help: "how many such lists are on the screen")
  static let edit = OptionSpec(
    "edit", ["one", "move", "many", "elsewhere", "mixed"],
    help: """
      what a save changes: one row, the section of one row, 100 rows, a record that the list does not show, or by turns \
      any of them, names, and which rows there are
      """)
  static let until = OptionSpec(
    "until", ["list", "save"], help: "time until every list knows, or until the save returns")

  public static let description = WorkloadDescription(
    id: "live-list", question: "What does a list cost that follows every save?",
    operation: """
      save a change while sorted lists with sections are on the screen, until each has been told of it and knows the \
      difference; the list has 1,000 rows, or as many as there are records
      """,
    options: [observers, edit, until], access: .writes,
    capabilityWith: { $0[observers] == "0" ? nil : .observing },
    wordsWith: { options in
      options[observers] == "1" && options[until] == "list"
        ? WorkloadWords("a save that a list on the screen follows", .other, limit: .frame) : nil
    })

  /// The number of list updates per save that changed nothing: the list was woken for nothing.
  static let falseWakes = "false_wakes_per_save"
  /// The number of records per save that were converted into Swift values to update the lists.
  static let decodedRows = "rows_decoded_per_save"

  private let options: Options

  public init(options: Options) { self.options = options }

  /// Fewer than of plain saves: each may read all lists anew.
  public func countedOperations(records: Int, kind: EngineKind) -> Int { countedChanges(records: records, kind: kind) }

  public func session(_ context: SessionContext) -> any WorkloadSession {
    LiveListSession(
      context, ListEdits(context, ListEdits.Kind(rawValue: options[Self.edit]) ?? .one),
      observers: Int(options[Self.observers]) ?? 1, endsWithSave: options[Self.until] == "save")
  }
}

/// The list's rows at the start and the changes of each save: a pure function of its number.
struct ListEdits {
  /// Values of ``LiveList/edit``.
  enum Kind: String {
    case one, move, many, elsewhere, mixed
  }

  /// The rows of a list on the screen, where there are as many records.
  private static let rows = 1_000
  /// The rows that are saved at once where it is many.
  private static let many = 100
  /// The records that the list does not show and that are saved in turn.
  private static let hidden = 10

  /// The content of the list.
  let predicate: RecordPredicate
  private let context: SessionContext
  private let kind: Kind
  /// The places of the records that it shows at the start.
  private let places: [Int]
  /// The greatest score that it shows.
  private let bound: Double

  init(_ context: SessionContext, _ kind: Kind) {
    self.context = context
    self.kind = kind
    let scores = OrderedRecords(context.records).scores
    // Equal scores go together, so it may be a few more. There is room for a score above the greatest that is shown.
    bound = scores.prefix(Self.rows).last.map { min($0.score, .greatestFiniteMagnitude.nextDown) } ?? 0
    let range = -Double.infinity...bound
    predicate = .score(range)
    places = scores.prefix { range.contains($0.score) }.map(\.place)
  }

  /// Whether a save may leave every record as it was.
  var mayChangeNothing: Bool { kind == .mixed || places.isEmpty }

  /// The list's rows at the start, in no order.
  var shown: [Record] { places.map { context.source.record(at: $0) } }

  /// Returns the changes of a save.
  func changes(_ operation: Int) -> [Change] {
    guard !places.isEmpty || kind == .elsewhere else { return [] }
    var random = RandomStream(seed: context.seed, .key, operation)
    switch kind {
    case .one: return [.put(edited(&random, operation))]
    case .move: return [.put(moved(&random, operation))]
    case .many:
      let first = random.below(places.count)
      return (0..<min(Self.many, places.count)).map { number in
        let place = places[(first + number) % places.count]
        return .put(context.edited(context.source.record(at: place), operation * Self.many + number))
      }
    case .elsewhere: return [.put(hidden(operation))]
    case .mixed:
      let count = random.below(8) == 0 ? 2 + random.below(5) : 1
      // Each record once: one that is deleted and put again in the same save is another object in an object graph, whose
      // lists then rightly hear that it went and came, and the same record everywhere else.
      var seen: Set<Int64> = []
      return (0..<count).map { mixed(&random, operation * 8 + $0) }.filter { seen.insert($0.record.id).inserted }
    }
  }

  private func drawn(_ random: inout RandomStream) -> Record {
    context.source.record(at: places[random.below(places.count)])
  }

  private func edited(_ random: inout RandomStream, _ number: Int) -> Record { context.edited(drawn(&random), number) }

  /// Returns a record in the section of another.
  private func moved(_ random: inout RandomStream, _ number: Int) -> Record {
    var record = drawn(&random)
    record.group = drawn(&random).group
    record.modified += Double(number + 1)
    return record
  }

  /// Returns a record that the list does not show: new the first time, later changed.
  private func hidden(_ number: Int) -> Record {
    var random = RandomStream(seed: context.seed, .change, number)
    let place = number % Self.hidden
    return Record(
      id: context.source.unusedKey(place), name: "hidden \(place)", group: "", score: bound.nextUp,
      modified: Double(number),
      payload: GeneratedRecords.payload(context.recordBytes, .random, &random))
  }

  private func mixed(_ random: inout RandomStream, _ number: Int) -> Change {
    switch random.below(12) {
    case 0..<3: return .put(edited(&random, number))
    case 3..<6: return .put(moved(&random, number))
    case 6, 7:
      // Another name: elsewhere in its section, or at the same place.
      var record = edited(&random, number)
      record.name = drawn(&random).name + (random.below(2) == 0 ? "" : " \(number % 10)")
      return .put(record)
    case 8: return .delete(drawn(&random).id)
    case 9:
      var record = drawn(&random)
      record.score = bound.nextUp
      return .put(record)
    case 10: return .put(hidden(number))
    // As it was at the start: often no change at all.
    default: return .put(drawn(&random))
    }
  }
}
