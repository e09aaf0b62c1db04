import Foundation
import StorageRunFiles

/// A text file of a report. A large file is written in pieces to save memory.
public struct TextFile {
  /// A function that receives the next piece of a file's text.
  public typealias Append = (String) throws -> Void

  /// The name of a report's text file, such as `junit.xml`, without a directory.
  public let name: String
  /// A function that passes the text in pieces to ``Append``. The last piece ends with a line break.
  let forEachPiece: (@escaping Append) throws -> Void

  /// Returns the whole text of the file.
  ///
  /// - Throws: The errors of creating the text.
  public func text() throws -> String {
    var text = ""
    try forEachPiece { text += $0 }
    return text
  }

  /// Writes the file into a directory, completely or not at all, and returns its location.
  ///
  /// - Parameter isOwn: Returns whether this program wrote an existing file, given its first bytes.
  /// - Throws: `FileWriteError`; `UsageError` for another program's file; errors of creating the text.
  func write(to directory: URL, replacing isOwn: (Data) -> Bool) throws -> URL {
    let url = directory.appendingPathComponent(name)
    try AtomicFile.stream(to: url, replacing: isOwn) { output in try forEachPiece { try output.append($0) } }
    return url
  }
}
