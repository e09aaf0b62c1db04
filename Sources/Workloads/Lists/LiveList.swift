import StorageContract

/// A workload that saves records while lists on the screen are kept up to date, as by NSFetchedResultsController.
struct LiveList: Workload {
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

  static let description = WorkloadDescription(
    id: "live-list", question: "What does a list cost that follows every save?",
    operation: """
      save a change while sorted lists with sections are on the screen, until each list has received the changed rows; \
      a list has 1,000 rows, or all records if there are fewer
      """,
    options: [observers, edit, until, from], access: .writes, counted: .changes,
    capability: { $0[observers] == "0" ? nil : .observing },
    obstacle: { options, store in
      guard options[from] == "other" else { return nil }
      guard let type = store.backend as? any SecondWriting.Type else {
        return "it has no second connection or context whose saves a list could notice"
      }
      return type.lackOfSecondWriter(store.durability, store.options)
    },
    words: { options in
      options[observers] == "1" && options[until] == "list" && options[from] == "self"
        ? WorkloadWords("a save that a list on the screen follows", .other, limit: .frame) : nil
    })

  /// The report's name for the number of false wakes (updates that change no row) per save.
  static let falseWakes = "false_wakes_per_save"
  /// The report's name for the number of records decoded per save to update the lists on the screen.
  static let decodedRows = "rows_decoded_per_save"

  let options: Options

  func session(_ context: SessionContext) -> any WorkloadSession { LiveListSession(context, options) }
}

/// A generator of the initial rows of a list on the screen, and of the changes that each save makes.
struct ListEdits {
  enum Kind: String {
    case one, move, many, elsewhere, mixed
  }

  /// The usual number of rows of a list on the screen, which shows the records with the lowest scores.
  private static let rows = 1_000
  private static let many = 100
  /// The number of extra records whose scores are too high for the list on the screen. With `edit=elsewhere`, each save
  /// stores one of these records.
  private static let hidden = 10

  let predicate: RecordPredicate
  private let context: SessionContext
  private let kind: Kind
  private let indices: [Int]
  /// The highest score in the list on the screen. Records with a higher score are not in the list.
  private let bound: Double

  init(_ context: SessionContext, _ kind: Kind) {
    self.context = context
    self.kind = kind
    let scores = OrderedRecords(context.records).scores
    // Hidden records need a higher score, so the bound is less than the greatest finite number.
    bound = scores.prefix(Self.rows).last.map { min($0.score, .greatestFiniteMagnitude.nextDown) } ?? 0
    let range = -Double.infinity...bound
    predicate = .score(range)
    indices = scores.prefix { range.contains($0.score) }.map(\.index)
  }

  var mayChangeNothing: Bool { kind == .mixed || indices.isEmpty }

  /// The rows of the list on the screen before the first save, in no particular order.
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
      // Each record occurs once, because engines report a deletion and reinsertion of one record differently.
      return (0..<count).map { mixed(&random, operation * 8 + $0) }.unique(by: \.record.id)
    }
  }

  private func drawn(_ random: inout RandomStream) -> Record {
    context.source.record(at: indices[random.below(indices.count)])
  }

  private func edited(_ random: inout RandomStream, _ number: Int) -> Record { context.edited(drawn(&random), number) }

  /// Returns a random row with the group of another row. A save moves the row to the section of that group.
  private func moved(_ random: inout RandomStream, _ number: Int) -> Record {
    var record = drawn(&random)
    record.group = drawn(&random).group
    record.modified += Double(number + 1)
    return record
  }

  /// Returns a record that the list on the screen must not show, because its score is higher than ``bound``.
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
      // A new name may move the row within its section.
      var record = edited(&random, number)
      record.name = drawn(&random).name + (random.below(2) == 0 ? "" : " \(number % 10)")
      return .put(record)
    case 8: return .delete(drawn(&random).id)
    case 9:
      var record = drawn(&random)
      record.score = bound.nextUp
      return .put(record)
    case 10: return .put(hidden(number))
    // The initial version of a record, so often no change at all.
    default: return .put(drawn(&random))
    }
  }
}
