import StorageContract

/// A part of the page that is made from a run.
///
/// To add one, write a file with a conforming type and add its line to ``Page/builders``.
protocol PanelBuilder: Sendable {
  /// The panel, or nil where the run has nothing for it.
  static func panel(_ page: Page) -> Panel?
}

/// A run as people read it: the panels in their order. Every format that people read is written from this.
public struct Page: Sendable {
  /// The run.
  public let model: ReportModel
  /// By what each backend is told from the others in the pictures.
  private let marks: [Spec: SeriesMark]

  /// The panels' builders, in the order of the page.
  static let builders: [any PanelBuilder.Type] = [
    VerdictPanel.self,
    OriginPanel.self,
    MatrixPanel.self,
    SaveCostPanel.self,
    LimitsPanel.self,
    GrowthPanel.self,
    MemoryPanel.self,
    LatencyPanel.self,
    MixPanel.self,
    PacePanel.self,
    LaunchPanel.self,
    PairsPanel.self,
    SafetyPanel.self,
    DriftPanel.self,
    HistoryPanel.self,
    AdvicePanel.self,
  ]

  /// The panels that the run has something for.
  public private(set) var panels: [Panel] = []

  /// Prepares a run to be read.
  public init(_ model: ReportModel) {
    self.model = model
    marks = Dictionary(
      uniqueKeysWithValues: model.backends.enumerated().map { ($1, SeriesMark(index: $0)) })
    panels = Self.builders.compactMap { $0.panel(self) }
  }

  /// The page's heading.
  public var title: String { "storage-bench: \(model.plan.label ?? model.directory.name)" }

  /// By what a backend is told from the others.
  func mark(_ backend: Spec) -> SeriesMark { marks[backend] ?? SeriesMark(index: 0) }
}
