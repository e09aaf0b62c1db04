import StorageContract

/// A part of the page that is made from a run.
///
/// To add one, write a file with a conforming type and add its line to ``Page/builders``.
protocol PanelBuilder: Sendable {
  /// The panel, or nil where the run has nothing for it.
  static func panel(_ input: PanelInput) -> Panel?
}

/// What panels are made from: the run, and how each backend is marked in all of its pictures.
struct PanelInput: Sendable {
  /// The run.
  let model: ReportModel
  private let marks: [Spec: SeriesMark]

  /// Gives each backend of a run a mark.
  init(_ model: ReportModel) {
    self.model = model
    marks = Dictionary(
      uniqueKeysWithValues: model.backends.enumerated().map { ($1, SeriesMark(index: $0)) })
  }

  /// The colour, shape and dashes that distinguish a backend from the others.
  func mark(_ backend: Spec) -> SeriesMark { marks[backend] ?? SeriesMark(index: 0) }
}
