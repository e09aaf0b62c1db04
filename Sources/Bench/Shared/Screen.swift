import Foundation
import StorageReport

/// The properties of standard output: a terminal of some width, with colors or without, or a log.
enum Screen {
  /// The width of the output in columns: the terminal's, limited to 60 to 140, or a width for logs.
  static var width: Int {
    columns(of: STDOUT_FILENO).map { min(max($0, 60), 140) } ?? TerminalWriter.width
  }

  /// The style of the output: colored on a terminal with colors, unless `NO_COLOR` is set (https://no-color.org).
  static var style: TerminalWriter.Style { hasColours(STDOUT_FILENO) ? .coloured : .plain }

  /// Prints a document, then the names of the files to which it was written.
  ///
  /// - Parameters:
  ///   - isLog: Whether the tables may be wider than the screen, as in a log of system calls.
  ///   - isBrief: Whether only the first two files are named.
  static func show(_ document: Document, files: [URL] = [], isLog: Bool = false, isBrief: Bool = false) {
    let paths = ShownFiles.named(files).prefix(isBrief ? 2 : .max).map { "\($0.name): \($0.path)".visible }
    let line = paths.joined(separator: "    ")
    // Paths are never wrapped, because they could not be copied.
    let lines = line.count <= width ? [line].filter { !$0.isEmpty } : paths
    StandardOutput.write(
      TerminalWriter.text(document, width: width, tableWidth: isLog ? .max : width, style: style)
        + (lines.isEmpty ? "" : "\n")
        + lines.map { "\($0)\n" }.joined())
  }

  /// Returns the columns of a terminal; nil if the descriptor is not a terminal, or its width is unknown.
  static func columns(of descriptor: Int32) -> Int? {
    var size = winsize()
    guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 20 else { return nil }
    return Int(size.ws_col)
  }

  /// Returns whether a descriptor is a terminal that shows colors.
  static func hasColours(_ descriptor: Int32) -> Bool {
    let environment = ProcessInfo.processInfo.environment
    return isatty(descriptor) == 1 && environment["TERM"] != "dumb" && environment["NO_COLOR"]?.isEmpty ?? true
  }
}

enum ShownFiles {
  /// Returns the files to show, each with a short name, the HTML page first. Images are replaced by their directory.
  static func named(_ files: [URL]) -> [(name: String, path: String)] {
    let names = ["report.html": "Report", "summary.csv": "Data", "trials.csv": "Trials", "report.md": "Markdown"]
    let order = ["report.html", "summary.csv", "trials.csv", "report.md"]
    let pictures = files.filter { $0.pathExtension == "svg" }
    let others = files.filter { $0.pathExtension != "svg" }
    let sorted = others.enumerated().sorted { left, right in
      let indices = [left, right].map { order.firstIndex(of: $0.element.lastPathComponent) ?? order.count }
      return (indices[0], left.offset) < (indices[1], right.offset)
    }.map(\.element)
    return sorted.map { (name: names[$0.lastPathComponent] ?? $0.lastPathComponent, path: path($0)) }
      + pictures.prefix(1).map { (name: "Pictures", path: path($0.deletingLastPathComponent())) }
  }

  /// Returns a path relative to the working directory, if the path is below that directory.
  static func path(_ file: URL) -> String {
    let here = FileManager.default.currentDirectoryPath + "/"
    return file.path.hasPrefix(here) ? String(file.path.dropFirst(here.count)) : file.path
  }
}
