import StorageContract

/// A generator of the report sentence on backends whose process was ended by its memory limit.
enum LittleMemoryRule {
  static func sentences(_ model: ReportModel) -> [RichText] {
    // The first result of each backend is enough: if its store cannot be opened, the other results fail as well.
    let ended = model.rows.filter(\.isEndedByMemory).grouped { $0.cell.backend }.map { $0.members[0].note }
    return ended.isEmpty ? [] : ["\(strong: "Memory ends it"): \(Phrases.list(ended))."]
  }
}

/// A generator of the report sentence on everyday conditions that the run did not measure, such as little memory.
enum Unmeasured {
  static let title = "What this run does not say"

  private static let questions: [(words: String, command: String, isThere: @Sendable (ReportModel) -> Bool)] = [
    ("do after years of changes", "--aged 0,10", { $0.rows.contains { $0.cell.aged > 0 } }),
    ("do with less memory than they take", "--memory 64MiB -n 1M", { $0.rows.contains { $0.cell.memory != nil } }),
    ("share with another process", "-w two-processes", { has("two-processes", $0) }),
    ("keep a list on the screen up to date", "-w live-list", { has("live-list", $0) }),
    ("find words in texts", "-w find-text", { has("find-text", $0) }),
  ]

  private static func has(_ workload: String, _ model: ReportModel) -> Bool {
    model.rows.contains { $0.cell.workload.id == workload && $0.status == .ok }
  }

  static func sentence(_ model: ReportModel) -> RichText? {
    guard !model.plan.once else { return nil }
    let missing = questions.filter { !$0.isThere(model) }.map { question -> RichText in
      "\(question.words) (\(code: question.command))"
    }
    guard let last = missing.last else { return nil }
    let first = RichText.joined(Array(missing.dropLast()), ", ")
    let all: RichText = missing.count > 1 ? "\(first), or \(last)" : last
    return "How stores \(all): \(code: "\(model.plan.program) run") with these does."
  }
}
