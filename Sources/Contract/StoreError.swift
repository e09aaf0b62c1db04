import Foundation

/// An error of a backend, translated from the engine's error. The caller should react differently to each case.
public enum StoreError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The store's file is not a store of the expected kind, or its content is inconsistent.
  case damaged(String)
  /// The disk, its quota or the engine's memory map is full. The store still has its earlier data.
  case full(String)
  /// The store cannot be written, because of missing permissions or a read-only file system.
  case readOnly(String)
  /// Another process or thread holds the store's lock.
  case busy(String)
  /// The change cannot be saved, because another writer has changed its data. Reading the data again helps, but waiting
  /// does not.
  case conflict(String)
  /// The store is locked, and needs a password or a user who can enter one.
  case locked(String)
  /// The engine reported any other error, with the given message.
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
  /// Classifies an error that Foundation throws when it opens, reads or writes a file.
  ///
  /// - Parameters:
  ///   - error: The error; a `StoreError` is not changed.
  ///   - file: The file's name, with which the new error's message begins.
  public init(_ error: any Error, on file: String) {
    let text = "\(file): \((error as NSError).localizedDescription)"
    switch (error as? CocoaError)?.code {
    case .fileWriteOutOfSpace: self = .full(text)
    case .fileWriteVolumeReadOnly, .fileWriteNoPermission: self = .readOnly(text)
    default: self = error as? StoreError ?? .failed(text)
    }
  }

  /// Creates the error for a message of a library without error codes. The case depends on texts in the message, such
  /// as `No space left on device`.
  ///
  /// - Parameters:
  ///   - directory: The store's directory, which is removed from file names in the message.
  ///   - damaged: The library's texts for a damaged store.
  ///   - busy: The library's texts for a lock held by another process.
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

  package init(errno code: Int32, doing what: String) {
    let text = "\(what): \(String(cString: strerror(code)))"
    switch code {
    case ENOSPC, EDQUOT: self = .full(text)
    case EROFS, EACCES, EPERM: self = .readOnly(text)
    default: self = .failed(text)
    }
  }

  /// A pointer to a variable for the error message of a C function. The message is allocated by malloc.
  public typealias Text = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

  /// Calls a C function that returns an error message through its last argument, as in LevelDB. Frees the message.
  ///
  /// - Throws: The error that ``init(engine:in:damaged:busy:)`` creates from the message.
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

/// Errors for invalid calls, such as nested transactions, that several backends throw.
extension StoreError {
  package static var nestedTransaction: StoreError {
    .failed("a transaction is running already; transactions do not nest")
  }

  package static var changeBesideTransaction: StoreError {
    .failed("a transaction is running; make changes through the transaction")
  }

  package static func changeInsideScan(of collection: CollectionID) -> StoreError {
    .failed("collection \(collection.index) cannot be changed inside a scan of it")
  }

  package static var undeclaredRelationship: StoreError {
    .failed("a relationship is used before it is declared; declare it first")
  }
}

/// An error in a user's request, described by one sentence that names the problem and the fix.
public struct UsageError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The sentence that names the problem and the fix.
  public let description: String

  /// Creates an error for the user from a sentence that names the problem and the fix.
  public init(_ description: String) { self.description = description }
}

extension Error {
  package var isFullDisk: Bool {
    if case .full? = self as? StoreError { return true }
    let error = self as NSError
    switch error.domain {
    case NSCocoaErrorDomain: return CocoaError.Code(rawValue: error.code) == .fileWriteOutOfSpace
    case NSPOSIXErrorDomain: return [ENOSPC, EDQUOT].contains(Int32(error.code))
    default: return (error.userInfo[NSUnderlyingErrorKey] as? any Error)?.isFullDisk ?? false
    }
  }

  /// The error as one sentence. For an error of Foundation, the sentence is its localized description.
  package var sentence: String {
    if let error = self as? CocoaError { return error.localizedDescription }
    return type(of: self) is NSError.Type ? (self as NSError).localizedDescription : String(describing: self)
  }
}
