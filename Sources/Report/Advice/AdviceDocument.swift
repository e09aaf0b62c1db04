import StorageContract
import StorageStatistics

extension Advice {
  /// The recommendation as a document, which the command `advise` prints.
  public var document: Document {
    let recommendation =
      AdviceSentences.recommendation(self)
      ?? "No recommendation: every backend lacks a figure, or other work disturbed it; the list says which."
    var answer = Section(id: "advice", title: "Advice", lead: ["For \(app.inWords):", recommendation])
    answer.isAnswer = true
    answer.lists = [.init(items: AdviceSentences.levels(self))]
    var figures = Section(id: "figures", title: "Figures", tables: levels.map { Self.table($0) })
    if !figures.tables.isEmpty { figures.tables[figures.tables.count - 1].footer = AdviceSentences.legend(self) }
    var basis = Section(id: "basis", title: "What it rests on")
    basis.lists = [
      .init(items: self.basis), .init(items: AdviceSentences.absences(self) + caveats.map { RichText($0) }),
    ]
    if isIncomplete {
      var more = Section(id: "measure", title: "To measure exactly this")
      more.lead = ["To measure exactly this (\(code: "advise --measure") runs it):"]
      more.code = [measureLine]
      basis.sections = [more]
    }
    return Document(title: "storage-bench advise", sections: [answer, figures, basis]).explained
  }

  private static func table(_ choice: LevelChoice) -> Table {
    Table(
      "", [.words(choice.level.rawValue), .words(columns[1])] + columns.dropFirst(2).map { .number($0) },
      choice.candidates.map { candidate in choice.fields(candidate).map { .init(RichText($0)) } })
  }

  /// The titles of the columns that ``LevelChoice/fields(_:)`` fills, such as `a save` for the time of one save.
  static let columns = [
    "backend", "speed", "writes", "a save", "a read", "with reads", "launch", "against the fastest",
  ]

  /// Sentences on the origin of the estimated times: `Saves (save-one): measured at this size.`
  private var basis: [RichText] {
    ["Saves", "Reads", "Launches"].enumerated().flatMap { index, name in
      let known = levels.flatMap(\.candidates).compactMap { candidate in
        candidate.estimates[index].map { (candidate: candidate.fullName, estimate: $0) }
      }
      let groups = known.grouped(by: \.estimate.basis)
      return groups.map { basis, members -> RichText in
        let engines = groups.count == 1 ? "" : " of \(Phrases.list(members.map(\.candidate)))"
        return "\(name)\(engines) (\(members[0].estimate.workload)): \(basis)."
      }
    }
  }
}

extension Advice.LevelChoice {
  func fields(_ candidate: Advice.Candidate) -> [String] {
    [
      candidate.fullName, candidate.speed.words, candidate.bytes.map(NumberFormat.bytes) ?? "-",
      candidate.save.inShort, candidate.read?.inShort ?? "-", NumberFormat.time(candidate.total),
      candidate.launch?.inShort ?? "-", AdviceSentences.distance(candidate, in: self),
    ]
  }
}

enum AdviceSentences {
  /// Returns the recommendation as a sentence: `Take sqlite (durable): ...`. Nil if no engine reaches the safety level
  /// `level`.
  static func recommendation(_ advice: Advice, atLeast level: Level? = nil) -> RichText? {
    let level = level ?? advice.app.durability?.requiredLevel ?? .volatile
    let leaders = advice.leaders(atLeast: level)
    guard let first = leaders.first else {
      return advice.levels.contains { $0.level >= level } ? "Nothing that was measured is fast enough." : nil
    }
    let doubt = first.speed == .fastEnough ? "" : ", which is \(first.speed.words)"
    let names = Phrases.list(leaders.map(\.fullName), "or")
    let more = level > .fragile && first.level > level ? ", safer than asked" : ""
    return "Take \(strong: names): \(first.price) a save, \(first.stake)\(doubt)\(more)."
  }

  static func levels(_ advice: Advice) -> [RichText] {
    advice.levels.map { choice in
      let leaders = choice.leaders.map(\.fullName)
      var words: RichText = "\(choice.level.rawValue): "
      if let first = choice.recommended {
        words = "\(words)\(strong: Phrases.list(leaders, "or")), \(first.price) a save (\(first.stake))"
        if first.speed != .fastEnough { words = "\(words), \(first.speed.words)" }
      } else {
        words = "\(words)nothing to recommend"
      }
      let others = choice.candidates.filter { !leaders.contains($0.fullName) }
      func add(_ label: String, _ isMember: (Advice.Candidate) -> Bool) {
        let members = others.filter(isMember).map { "\($0.fullName) (\($0.price))" }
        if !members.isEmpty { words = "\(words); \(label): \(members.joined(separator: ", "))" }
      }
      for speed in [Speed.fastEnough, .borderline, .tooSlow] {
        add(speed == .fastEnough ? "also fast enough" : speed.words) { $0.canWin && $0.speed == speed }
      }
      add("timed once, so not recommended") { $0.isNative && !$0.canWin }
      add("emulated or a work-alike, so not recommended") { !$0.isNative }
      return "\(words)."
    }
  }

  static func absences(_ advice: Advice) -> [RichText] {
    advice.absences.grouped(by: \.reason).map { reason, members in
      "\(strong: Phrases.list(members.map(\.name))): \(reason)."
    }
  }

  static func legend(_ advice: Advice) -> [RichText] {
    let frame = NumberFormat.time(SizeLimit.frame)
    let launch = NumberFormat.time(advice.app.launchBudget ?? Speed.launch)
    return [
      "Fast enough: a save with its reads takes at most one frame (\(frame)), and a launch, where it was measured, at most \(launch). Borderline: up to four times as long. What is fast enough stands in the order of the bytes it writes, the rest in the order of time."
    ]
  }

  /// Returns the factor by which an engine is slower than the fastest, with its interval: `3.1× (2.9-3.4)`. A `?` at
  /// the end means inconclusive.
  static func distance(_ candidate: Advice.Candidate, in choice: Advice.LevelChoice) -> String {
    guard let comparison = candidate.comparison else {
      let others = choice.candidates.filter { $0.fullName != candidate.fullName }
      return others.isEmpty
        ? "-"
        : candidate.canWin && others.allSatisfy { $0.comparison != nil || !$0.canWin } ? "fastest" : "not judged"
    }
    // A `faster` verdict is inconclusive for a recommendable candidate. Other candidates are simply faster, without a
    // mark.
    let marks: [RowVerdict: String] = [.aboutEqual: " ~", .inconclusive: " ?", .faster: candidate.canWin ? " ?" : ""]
    return Phrases.factor(comparison.ratio) + (marks[comparison.verdict] ?? "")
  }

  /// Returns the benchmarks behind an engine's estimated times:
  /// `save: sqlite/save-one/1000/shipped, measured at this size`.
  static func basis(_ candidate: Advice.Candidate) -> RichText {
    let known = zip(["save", "read", "launch"], candidate.estimates).compactMap { name, estimate -> RichText? in
      estimate.map { "\(name): \(code: $0.cells), \($0.basis)" }
    }
    return RichText.joined(known, "; ")
  }
}
