/// A format that a comparison can be written in.
///
/// To add one, write a file with a conforming type and add its line to ``ComparisonFormats/all``.
public protocol ComparisonFormat: Sendable {
  /// What stands after `-f`: `junit`.
  var id: String { get }
  /// Where the text belongs when it is asked for.
  var destination: ComparisonDestination { get }
  /// The files, by name, with their texts.
  func files(_ comparison: Comparison) throws -> [(name: String, text: String)]
}

/// Where a format's text goes.
public enum ComparisonDestination: Sendable {
  /// Into files of the output directory.
  case files
  /// To standard output, where the CI system reads it.
  case standardOutput
  /// To the end of the file that an environment variable names, or into a file where it is not set.
  case appended(toFileIn: String)
}
