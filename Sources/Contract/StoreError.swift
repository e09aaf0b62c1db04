import Foundation

/// What a backend throws: a sentence that names what failed, sorted by what a caller can do about it.
///
/// Backends translate their engine's errors into these, so that workloads and tests need not know the engine.
public enum StoreError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file is there but is not a store of this kind, or its content contradicts itself.
  case damaged(String)
  /// The disk, the map or the quota is full. What was stored before is still there.
  case full(String)
  /// The store may not be written to.
  case readOnly(String)
  /// Somebody else holds the store's lock.
  case busy(String)
  /// Somebody else has changed what was read here, so that what was made of it cannot be saved: waiting does not help,
  /// reading again does.
  case conflict(String)
  /// The store is locked: it takes a password, or somebody to ask for one.
  case locked(String)
  /// Anything else that the engine refused, in its own words.
  case failed(String)

  public var description: String {
    switch self {
    case .damaged(let text): "damaged store: \(text)"
    case .full(let text): "no space left: \(text)"
    case .readOnly(let text): "store is read-only: \(text)"
    case .busy(let text): "store is busy: \(text)"
    case .conflict(let text): "somebody else has changed the store meanwhile: \(text)"
    case .locked(let text): "store is locked: \(text)"
    case .failed(let text): text
    }
  }
}

extension StoreError {
  /// Sorts what Foundation throws when it opens, reads or writes a file.
  ///
  /// - Parameters:
  ///   - error: The error; one that is a `StoreError` already stays as it is.
  ///   - file: The file's name, for the sentence.
  public init(_ error: any Error, on file: String) {
    let text = "\(file): \((error as NSError).localizedDescription)"
    switch (error as? CocoaError)?.code {
    case .fileWriteOutOfSpace: self = .full(text)
    case .fileWriteVolumeReadOnly, .fileWriteNoPermission: self = .readOnly(text)
    default: self = error as? StoreError ?? .failed(text)
    }
  }
}

extension StoreError {
  /// Sorts the text of a library that has no codes for its errors: by the system's own words for a full disk and the
  /// like, which such texts end with, and then by the library's.
  ///
  /// - Parameters:
  ///   - text: What the library says. In the error the names of files stand without the directory's.
  ///   - directory: The store's directory, whose name may hold any word and is not looked at.
  ///   - damaged: The library's words for a damaged store.
  ///   - busy: Its words for a lock that somebody else holds, where the system's are missing.
  public init(engine text: String, in directory: String, damaged: [String] = ["Corruption"], busy: [String] = []) {
    let text = text.replacingOccurrences(of: "\(directory)/", with: "").replacingOccurrences(of: directory, with: ".")
    func says(_ words: [String]) -> Bool { words.contains { text.contains($0) } }
    func says(_ codes: Int32...) -> Bool { says(codes.map { String(cString: strerror($0)) }) }
    if says(ENOSPC, EDQUOT) {
      self = .full(text)
    } else if says(EROFS, EACCES, EPERM) {
      self = .readOnly(text)
    } else if says(EAGAIN, EBUSY, ENOLCK) || says(busy) {
      self = .busy(text)
    } else if says(damaged) {
      self = .damaged(text)
    } else {
      self = .failed(text)
    }
  }
}

extension StoreError {
  /// Sorts a system error.
  ///
  /// - Parameters:
  ///   - code: The value of `errno`.
  ///   - doing: What was tried, for the sentence.
  package init(errno code: Int32, doing what: String) {
    let text = "\(what): \(String(cString: strerror(code)))"
    switch code {
    case ENOSPC, EDQUOT: self = .full(text)
    case EROFS, EACCES, EPERM: self = .readOnly(text)
    default: self = .failed(text)
    }
  }
}

extension StoreError {
  /// Where C functions leave the text of an error, allocated by malloc.
  public typealias Text = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

  /// Calls a C function that has such a place as its last argument, as LevelDB's and RocksDB's have, frees the text and
  /// throws what it says.
  ///
  ///     try StoreError.check(in: directory) { rocksdb_write(database, options, batch, $0) }
  ///
  /// - Returns: What the function returns.
  /// - Throws: ``init(engine:in:damaged:busy:)``.
  @inlinable @inline(__always)
  public static func check<Result>(
    in directory: String, damaged: [String] = ["Corruption"], busy: [String] = [], _ call: (Text) -> Result
  ) throws -> Result {
    var text: UnsafeMutablePointer<CChar>?
    let result = call(&text)
    guard let text else { return result }
    defer { free(text) }
    throw StoreError(engine: String(cString: text), in: directory, damaged: damaged, busy: busy)
  }
}

/// What the user asked for cannot be done as asked: one sentence that names the culprit and the fix.
public struct UsageError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The sentence, without a full stop's worth of context around it: it is printed as it is.
  public let description: String

  /// Creates an error from its sentence.
  public init(_ description: String) { self.description = description }
}

extension Error {
  /// Whether the error says that a disk or a quota is full.
  package var isFullDisk: Bool {
    if case .full? = self as? StoreError { return true }
    let error = self as NSError
    switch error.domain {
    case NSCocoaErrorDomain: return CocoaError.Code(rawValue: error.code) == .fileWriteOutOfSpace
    case NSPOSIXErrorDomain: return [ENOSPC, EDQUOT].contains(Int32(error.code))
    default: return (error.userInfo[NSUnderlyingErrorKey] as? any Error)?.isFullDisk ?? false
    }
  }

  /// The error in words. Foundation's own errors describe themselves over several lines; their sentence is shorter.
  package var sentence: String {
    if let error = self as? CocoaError { return error.localizedDescription }
    return type(of: self) is NSError.Type ? (self as NSError).localizedDescription : String(describing: self)
  }
}
