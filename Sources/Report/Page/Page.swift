import StorageContract

/// A run as people read it: the panels in their order. Every format that people read is written from this.
public struct Page: Sendable {
  /// The run.
  public let model: ReportModel

  /// The panels' builders, in the order of the page. To add a panel, add its line.
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
  public let panels: [Panel]

  /// Prepares a run to be read.
  public init(_ model: ReportModel) {
    self.model = model
    let input = PanelInput(model)
    panels = Self.builders.compactMap { $0.panel(input) }
  }

  /// The page's heading.
  public var title: String { "storage-bench: \(model.plan.label ?? model.directory.name)" }

  /// The panel with the answers in words.
  var verdict: Panel? { panels.first { $0.id == VerdictPanel.id } }
}
