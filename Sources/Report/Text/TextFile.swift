import Foundation
import StorageRunFiles

/// A file of a format that is text, with what writes it.
///
/// A page of thousands of cells is written piece by piece: as one text it would take more memory than what it is made
/// from.
public struct TextFile {
  /// Takes the next piece of a text.
  public typealias Append = (String) throws -> Void

  /// The file's name.
  public let name: String
  private let body: (@escaping Append) throws -> Void

  /// Creates a file that is written piece by piece.
  ///
  /// - Parameters:
  ///   - name: The file's name.
  ///   - body: Hands out the pieces in their order; the last ends with a line's end.
  public init(_ name: String, body: @escaping (@escaping Append) throws -> Void) {
    self.name = name
    self.body = body
  }

  /// Creates a file of a text that is at hand, which ends with a line's end.
  public init(_ name: String, _ text: String) {
    self.init(name) { try $0(text) }
  }

  /// Hands out the pieces of the text in their order.
  ///
  /// - Throws: What making them throws, and what the body throws.
  func forEachPiece(_ append: @escaping Append) throws { try body(append) }

  /// The whole text.
  ///
  /// - Throws: What making it throws.
  public func text() throws -> String {
    var text = ""
    try forEachPiece { text += $0 }
    return text
  }

  /// Writes the file, whole or not at all.
  ///
  /// - Parameter isOwn: Whether a file that is there may be replaced, by its first bytes.
  /// - Returns: The file.
  /// - Throws: `FileWriteError` naming the file, `UsageError` if another file is in its place, and what making the text
  ///   throws.
  func write(to directory: URL, replacing isOwn: (Data) -> Bool) throws -> URL {
    let url = directory.appendingPathComponent(name)
    try AtomicFile.stream(to: url, replacing: isOwn) { output in try forEachPiece { try output.append($0) } }
    return url
  }
}
