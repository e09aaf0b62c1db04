import Foundation
import StorageContract
import StorageRunFiles

extension ReportFormat {
  /// The format of `card.png`, the preview image for links to a report. The program `rsvg-convert` must be installed.
  public static let png = ReportFormat(
    id: "png", writer: writeCard,
    recognizes: { $0.prefix(100).contains("PNG") && $0.contains(mark) })

  private static let program = "rsvg-convert"
  /// The text by which the program recognizes its images, in a PNG chunk of type tEXt.
  private static let mark = "Software\u{0}storage-bench"

  /// Writes `card.png`, the preview image of a report.
  ///
  /// - Throws: `UsageError` without a recommendation or for another program's file; otherwise `FileWriteError`.
  @Sendable private static func writeCard(_ report: any Report, to directory: URL) throws -> [URL] {
    let url = directory.appendingPathComponent("card.png")
    guard let card = report.document.card else {
      throw UsageError("card.png shows a recommendation, and this run has none; leave out the format png")
    }
    let image = try image(card, for: url)
    try AtomicFile.stream(to: url, replacing: png.isOwn) { try $0.append(image) }
    return [url]
  }

  private static func image(_ card: any Chart, for url: URL) throws -> Data {
    func failure(_ reason: String, _ advice: String) -> FileWriteError {
      FileWriteError(path: url.path, reason: reason, advice: advice)
    }
    guard let input = tmpfile() else { throw failure(String(cString: strerror(errno)), "check the directory /tmp") }
    defer { fclose(input) }
    fputs(card.file(), input)
    rewind(input)
    let process: SpawnedProcess
    do {
      process = try SpawnedProcess(
        ["/usr/bin/env", program, "-f", "png"], streams: [0: .descriptor(fileno(input)), 1: .pipe, 2: .pipe])
    } catch {
      throw failure("\(program) cannot be started: \(error.reason)", "leave out the format png")
    }
    let (image, errors) = try process.readAll()
    switch process.wait() {
    case .exited(code: 0): break
    case .exited(code: 127): throw failure("\(program) is missing", "install librsvg2-bin, or leave out the format png")
    default:
      let words = String(decoding: errors, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
      throw failure("\(program) fails: \(words.visible)", "leave out the format png")
    }
    // The header is the first chunk, of 25 bytes after the 8 bytes of the signature.
    guard image.count > 33 else { throw failure("\(program) wrote no image", "leave out the format png") }
    return image.prefix(33) + chunk("tEXt", Array(mark.utf8)) + image.dropFirst(33)
  }

  /// Returns a chunk of a PNG file: length, type, bytes and CRC-32 (PNG, third edition, section 5.3).
  private static func chunk(_ type: String, _ bytes: [UInt8]) -> Data {
    let body = Array(type.utf8) + bytes
    var remainder = UInt32.max
    for byte in body {
      remainder ^= UInt32(byte)
      for _ in 0..<8 { remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0xedb8_8320 : remainder >> 1 }
    }
    func big(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
    return Data(big(UInt32(bytes.count)) + body + big(~remainder))
  }
}
