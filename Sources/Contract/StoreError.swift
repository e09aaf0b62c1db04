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

/// What the user asked for cannot be done as asked: one sentence that names the culprit and the fix.
public struct UsageError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The sentence, without a full stop's worth of context around it: it is printed as it is.
  public let description: String

  /// Creates an error from its sentence.
  public init(_ description: String) { self.description = description }
}
