import StorageContract

extension RunReport {
  private static let longest = 12
  private static let mostWarnings = 2

  /// The short report of a run: the recommendation, one table, the failed measurements and the machine.
  public var short: Document {
    var sections: [Section] = []
    let choices = ChoiceTable(model)
    var choice = Section(id: "choice", title: "")
    choice.tables = [choices.brief].compactMap { $0 }
    choice.lead = [choices.absence(model)].compactMap { $0 }
    if !choice.tables.isEmpty || !choice.lead.isEmpty { sections.append(choice) }
    var section = Section(id: "short", title: "")
    section.tables = [SignatureSection.brief(model) ?? cells].compactMap { $0 }
    let words = origin
    if section.tables.isEmpty {
      section.lead = [RichText(Phrases.count(model.rows))] + words
    } else {
      section.tables[0].footer += [RichText.joined(words, " ")]
    }
    let title = section.tables.first.map { $0.title.isEmpty ? [] : [RichText("\($0.title)")] } ?? []
    if !section.tables.isEmpty { section.tables[0].title = "" }
    // Definitions of terms are added here, once. The warnings and failures below need none.
    section = Document(title: "", sections: [section]).explained.sections[0]
    let more = model.warnings.count - Self.mostWarnings
    section.lead =
      model.warnings.prefix(Self.mostWarnings).map { "\(strong: "Warning:") \($0)" }
      + (more > 0 ? ["\(Quantity.counted(more, "more warning")) in the report, or with \(code: "-v")."] : [])
      + section.lead + title
    let failed = model.rows(.failed)
    section.lists = [
      .init(items: failed.map { "\(strong: "FAILED") \($0.cell.name): \($0.note)" }, terminalLimit: 3)
    ].filter { !$0.items.isEmpty }
    return Document(title: "", sections: sections + [section])
  }

  private var origin: [RichText] {
    let machine = OriginSection.machine(model)
    let command = model.plan.commandLine
    return [
      machine.isEmpty ? "" : "\(machine.joined(separator: ", ")).",
      Phrases.noise(model).map { "Typical error: \($0)." } ?? "",
      command.isEmpty ? "" : "Made by \(code: command).",
    ].filter { !$0.isEmpty }
  }

  private var cells: Table? {
    let section = ["overview", "mix"].compactMap { id in document.sections.first { $0.id == id } }.first
    guard var table = section?.tables.first else { return nil }
    let more = table.rows.count - Self.longest
    table.footer = []
    if more > 0 {
      table.rows.removeLast(more)
      table.footer = ["\(Quantity.grouped(more)) more in the report, or with \(code: "-v")."]
    }
    return table
  }
}
