import StorageContract

/// A workload that saves records while lists on the screen follow the changes.
public struct LiveList: Workload {
  static let observers = OptionSpec("observers", ["1", "0", "10"], help: "lists on the screen")
  static let edit = OptionSpec(
    "edit", ["one", "move", "many", "elsewhere", "mixed"],
    help: """
      change of a save: one row, the section of one row, 100 rows, a record that the list does not show, or a random mix \
      of edits, moves, new names, insertions and deletions
      """)
  static let from = OptionSpec(
    "from", ["self", "other"],
    help: "save in the lists' own context or connection, or in another one, whose saves the lists must notice")
  static let until = OptionSpec(
    "until", ["list", "save"], help: "measure until every list has the change, or until the save returns")

  public static let description = WorkloadDescription(
    id: "live-list", question: "What does a list cost that follows every save?",
    operation: """
      save a change while sorted lists with sections are on the screen, until each list has received the changed rows; \
      a list has 1,000 rows, or all records if there are fewer
      """,
    options: [observers, edit, until, from], access: .writes,
    capabilityWith: { $0[observers] == "0" ? nil : .observing },
    obstacle: { options, store in
      guard options[from] == "other" else { return nil }
      guard let type = store.backend as? any SecondWriting.Type else {
        return "it has no second connection or context whose saves a list could notice"
      }
      return type.lackOfSecondWriter(store.durability, store.options)
    },
    wordsWith: { options in
      options[observers] == "1" && options[until] == "list" && options[from] == "self"
        ? WorkloadWords("a save that a list on the screen follows", .other, limit: .frame) : nil
    })

  /// The name of a finding (an additional measured value): the number of unnecessary list updates per save. An
  /// unnecessary update changes no row of the list.
  static let falseWakes = "false_wakes_per_save"
  /// The name of a finding (an additional measured value): the number of records per save that were decoded to Swift
  /// values to update the lists.
  static let decodedRows = "rows_decoded_per_save"

  private let options: Options

  public init(options: Options) { self.options = options }

  /// Returns the number of operations to run when system calls are counted instead of timing operations. It is small,
  /// because each save may read all lists again.
  public func countedOperations(records: Int, kind: EngineKind) -> Int { countedChanges(records: records, kind: kind) }

  public func session(_ context: SessionContext) -> any WorkloadSession {
    LiveListSession(
      context, ListEdits(context, ListEdits.Kind(rawValue: options[Self.edit]) ?? .one),
      observers: Int(options[Self.observers]) ?? 1, endsWithSave: options[Self.until] == "save",
      savesElsewhere: options[Self.from] == "other")
  }
}

/// A generator of a list's initial rows and of the changes that each save makes.
struct ListEdits {
  enum Kind: String {
    case one, move, many, elsewhere, mixed
  }

  /// The number of rows of a list. Further records with the same score as the last row are also in the list. If there
  /// are fewer records, the list has all of them.
  private static let rows = 1_000
  /// The number of rows that one save changes if the kind of change is `many`.
  private static let many = 100
  /// The number of records that saves change in rotation if the kind of change is `elsewhere`. The list does not show
  /// these records.
  private static let hidden = 10

  let predicate: RecordPredicate
  private let context: SessionContext
  private let kind: Kind
  private let indices: [Int]
  /// The upper bound of the scores in the list. Records with a greater score are not shown.
  private let bound: Double

  init(_ context: SessionContext, _ kind: Kind) {
    self.context = context
    self.kind = kind
    let scores = OrderedRecords(context.records).scores
    // A list also has all records with the last score. Records outside need a greater score, which must exist.
    bound = scores.prefix(Self.rows).last.map { min($0.score, .greatestFiniteMagnitude.nextDown) } ?? 0
    let range = -Double.infinity...bound
    predicate = .score(range)
    indices = scores.prefix { range.contains($0.score) }.map(\.index)
  }

  /// Whether a save may change nothing, because it has no changes or writes values that a record already has.
  var mayChangeNothing: Bool { kind == .mixed || indices.isEmpty }

  /// The rows that the list has before the first save, unordered.
  var shown: [Record] { indices.map { context.source.record(at: $0) } }

  func changes(_ operation: Int) -> [Change] {
    guard !indices.isEmpty || kind == .elsewhere else { return [] }
    var random = RandomStream(seed: context.seed, .key, operation)
    switch kind {
    case .one: return [.put(edited(&random, operation))]
    case .move: return [.put(moved(&random, operation))]
    case .many:
      let first = random.below(indices.count)
      return (0..<min(Self.many, indices.count)).map { number in
        let index = indices[(first + number) % indices.count]
        return .put(context.edited(context.source.record(at: index), operation * Self.many + number))
      }
    case .elsewhere: return [.put(hidden(operation))]
    case .mixed:
      let count = random.below(8) == 0 ? 2 + random.below(5) : 1
      // Each record occurs once. If one were deleted and put again in a save, an object graph would rightly report a
      // deletion and an insertion of two objects, while other engines report the same record.
      var seen: Set<Int64> = []
      return (0..<count).map { mixed(&random, operation * 8 + $0) }.filter { seen.insert($0.record.id).inserted }
    }
  }

  private func drawn(_ random: inout RandomStream) -> Record {
    context.source.record(at: indices[random.below(indices.count)])
  }

  private func edited(_ random: inout RandomStream, _ number: Int) -> Record { context.edited(drawn(&random), number) }

  /// Returns a random record of the list with the group of a second random record, which may be the same. A save of the
  /// returned record moves the record to the section of that group.
  private func moved(_ random: inout RandomStream, _ number: Int) -> Record {
    var record = drawn(&random)
    record.group = drawn(&random).group
    record.modified += Double(number + 1)
    return record
  }

  /// Returns a record that the list does not show. The first saves insert such records, and later saves update them.
  private func hidden(_ number: Int) -> Record {
    var random = RandomStream(seed: context.seed, .change, number)
    let index = number % Self.hidden
    return Record(
      id: context.source.unusedKey(index), name: "hidden \(index)", group: "", score: bound.nextUp,
      modified: Double(number),
      payload: GeneratedRecords.payload(context.recordBytes, .random, &random))
  }

  private func mixed(_ random: inout RandomStream, _ number: Int) -> Change {
    switch random.below(12) {
    case 0..<3: return .put(edited(&random, number))
    case 3..<6: return .put(moved(&random, number))
    case 6, 7:
      // A new name moves the row within its section, or keeps its position.
      var record = edited(&random, number)
      record.name = drawn(&random).name + (random.below(2) == 0 ? "" : " \(number % 10)")
      return .put(record)
    case 8: return .delete(drawn(&random).id)
    case 9:
      var record = drawn(&random)
      record.score = bound.nextUp
      return .put(record)
    case 10: return .put(hidden(number))
    // A record as it was at the start, so often no change at all.
    default: return .put(drawn(&random))
    }
  }
}
