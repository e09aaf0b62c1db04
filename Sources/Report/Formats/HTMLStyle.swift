import CStoragePage
import StorageContract

/// The CSS of an HTML page, for light and dark mode, wide and narrow screens, and paper.
enum HTMLStyle {
  /// The file page.css, with generated rules in place of some comments.
  static let rules = [
    ("light colours", ChartStyle.light), ("dark colours", ChartStyle.dark), ("chart rules", ChartStyle.rules),
    ("chosen figures,", chosen),
  ].reduce("\n" + String(cString: csp_page_style())) { $0.replacing("/* \($1.0) */", with: $1.1) }

  private static let chosen = (1...8).map {
    ".switch > input:nth-of-type(\($0)):checked ~ figure:nth-of-type(\($0)),"
  }.joined(separator: " ")

  /// Returns the colour strength of a field: 0 for the best value of a row, 9 for a value 1,000 times as large or more.
  static func shade(_ ratio: Double) -> Int { Quantity.whole(HeatChart.share(ratio) * 9) }
}
