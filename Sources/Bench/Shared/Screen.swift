import Foundation
import StorageReport

/// The properties of standard output as a terminal or a log: its width and its colors.
enum Screen {
  /// The width of the output in columns: from 60 to 140 on a terminal, or 100 if standard output is not a terminal.
  static var width: Int { columns(of: STDOUT_FILENO).map { min(max($0, 60), 140) } ?? TerminalWriter.width }

  /// Prints a document and the paths of its files. Tables of a log may be wider than the screen. A brief output has
  /// only the two most important files.
  static func show(_ document: Document, files: [URL] = [], isLog: Bool = false, isBrief: Bool = false) {
    let paths = ShownFiles.named(files).prefix(isBrief ? 2 : .max).map { "\($0.name): \($0.path)".visible }
    let line = paths.joined(separator: "    ")
    // Paths are never wrapped, so that they can be copied.
    let lines = line.count <= width ? [line].filter { !$0.isEmpty } : paths
    let style: TerminalWriter.Style = hasColours(STDOUT_FILENO) ? .coloured : .plain
    StandardOutput.write(
      TerminalWriter.text(document, width: width, tableWidth: isLog ? .max : width, style: style)
        + (lines.isEmpty ? "" : "\n")
        + lines.map { "\($0)\n" }.joined())
  }

  static func columns(of descriptor: Int32) -> Int? {
    var size = winsize()
    guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 20 else { return nil }
    return Int(size.ws_col)
  }

  /// Returns whether an output is colored: on a terminal, unless `NO_COLOR` is set (https://no-color.org).
  static func hasColours(_ descriptor: Int32) -> Bool {
    let environment = ProcessInfo.processInfo.environment
    return isatty(descriptor) == 1 && environment["TERM"] != "dumb" && environment["NO_COLOR"]?.isEmpty ?? true
  }
}

enum ShownFiles {
  static func named(_ files: [URL]) -> [(name: String, path: String)] {
    let names: KeyValuePairs = [
      "report.html": "Report", "summary.csv": "Data", "trials.csv": "Trials", "report.md": "Markdown",
    ]
    let known = names.flatMap { file, name in files.filter { $0.lastPathComponent == file }.map { (name, path($0)) } }
    let (pictures, others) = (files.filter { $0.pathExtension == "svg" }, files.filter { $0.pathExtension != "svg" })
    return known
      + others.filter { file in !names.contains { $0.key == file.lastPathComponent } }
      .map { ($0.lastPathComponent, path($0)) }
      + pictures.prefix(1).map { ("Pictures", path($0.deletingLastPathComponent())) }
  }

  static func path(_ file: URL) -> String {
    let here = FileManager.default.currentDirectoryPath + "/"
    return file.path.hasPrefix(here) ? String(file.path.dropFirst(here.count)) : file.path
  }
}
