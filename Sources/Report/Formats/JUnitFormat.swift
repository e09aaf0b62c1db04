/// `junit.xml`: a cell is a test case, a failed cell a failure, what was not run is skipped. CI systems list it.
///
/// The form is that of the schema that Jenkins publishes for its JUnit plugin; GitLab, Azure and Buildkite read it.
public struct JUnitFormat: TextFormat {
  /// What stands after `-f`.
  public let id = "junit"
  /// `junit.xml`.
  public let fileNames = ["junit.xml"]

  /// Creates the format.
  public init() {}

  /// The file's text.
  public func text(_ page: Page) -> String {
    let model = page.model
    let rows = model.rows
    let failures = String(model.rows(.failed).count)
    let skipped = String(rows.count { $0.status == .skipped || $0.status == .notAvailable })
    let suite = Element(
      "testsuite",
      [
        "name": model.directory.name, "tests": String(rows.count), "failures": failures, "errors": "0",
        "skipped": skipped,
      ], rows.map(testcase))
    let suites = Element(
      "testsuites",
      ["name": "storage-bench", "tests": String(rows.count), "failures": failures, "errors": "0"], [suite])
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + suites.text(.xml)
  }

  private func testcase(_ row: SummaryRow) -> Element {
    let reason = row.note.isEmpty ? "no reason given" : row.note
    let child: Element
    switch row.status {
    case .ok: child = Element("system-out", text: Phrases.line(row))
    case .failed: child = Element("failure", ["message": reason, "type": "failed"])
    case .skipped, .notAvailable: child = Element("skipped", ["message": "\(row.status.rawValue): \(reason)"])
    }
    // The class name groups cells by workload in a CI system's list.
    return Element("testcase", ["name": row.cell.name, "classname": "\(row.cell.workload)"], [child])
  }
}
