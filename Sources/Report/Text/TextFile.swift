import Foundation
import StorageRunFiles

/// A text file of a format, with the function that writes it.
///
/// A page of thousands of cells is written in pieces. As one text it would take more memory than its data.
public struct TextFile {
  /// A function that receives the next piece of a text.
  public typealias Append = (String) throws -> Void

  /// The file's name.
  public let name: String
  private let body: (@escaping Append) throws -> Void

  /// Creates a file that is written in pieces.
  ///
  /// - Parameters:
  ///   - name: The file's name.
  ///   - body: Passes on the pieces in order; the last one ends with a line break.
  public init(_ name: String, body: @escaping (@escaping Append) throws -> Void) {
    self.name = name
    self.body = body
  }

  /// Creates a file of a text that ends with a line break.
  public init(_ name: String, _ text: String) {
    self.init(name) { try $0(text) }
  }

  /// Passes on the pieces of the text in order.
  ///
  /// - Throws: The errors of creating the pieces, and of the body.
  func forEachPiece(_ append: @escaping Append) throws { try body(append) }

  /// Returns the whole text.
  ///
  /// - Throws: The errors of creating the text.
  public func text() throws -> String {
    var text = ""
    try forEachPiece { text += $0 }
    return text
  }

  /// Writes the file, whole or not at all.
  ///
  /// - Parameter isOwn: Returns whether an existing file may be replaced, by its first bytes.
  /// - Returns: The file.
  /// - Throws: `FileWriteError` naming the file, `UsageError` if another file is in its place, and the errors of
  ///   creating the text.
  func write(to directory: URL, replacing isOwn: (Data) -> Bool) throws -> URL {
    let url = directory.appendingPathComponent(name)
    try AtomicFile.stream(to: url, replacing: isOwn) { output in try forEachPiece { try output.append($0) } }
    return url
  }
}
