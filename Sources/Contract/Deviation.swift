/// A deviation of one backend from a promise of ``StorageBackend``: for example, the backend cannot store NaN.
///
/// The tests of a backend accept only the deviations that the backend's description declares. Reports show the
/// ``sentence``.
public struct Deviation: Hashable, Sendable, Codable {
  /// A promise of ``StorageBackend`` that some backends cannot fully keep, such as the promise that NaN can be stored.
  public enum Promise: String, CaseIterable, Sendable, Codable {
    /// The promise that a stored -0 is returned as -0. A backend that does not keep this promise returns every -0 as 0.
    case minusZero = "minus-zero"
    /// The promise that a store with both 0 and -0 returns each zero with its sign. A backend that does not keep this
    /// promise may return the same zero for both.
    case equalZeros = "equal-zeros"
    /// The promise that a text is returned with the same Unicode scalars. A backend that does not keep this promise may
    /// return an equivalent text, such as an é of one scalar instead of two.
    case equalTexts = "equal-texts"
    /// The promise that a text with a NUL character is returned whole. A backend that does not keep this promise cuts
    /// the text off, and returns only the part before the NUL.
    case cutTexts = "cut-texts"
    /// The promise that infinities and NaN can be stored. In a backend that does not keep this promise, storing such a
    /// number throws ``StoreError``.
    case nonFinite = "non-finite"
    /// The promise that the closure of a read or scan may itself read from the store. In a backend that does not keep
    /// this promise, the inner read throws ``StoreError``.
    case nestedReads = "nested-reads"
    /// The promise that a full disk causes only an error, and that the store keeps its earlier records and can be read.
    /// A backend that does not keep this promise may end the process if a write fails.
    case fullDisk = "full-disk"
    /// The promise that a short write causes no damage. In a short write, the kernel writes only a part of the bytes. A
    /// backend that does not keep this promise may leave an unreadable store.
    case shortWrites = "short-writes"
    /// The promise that a failed memory allocation in the engine causes at most an error. A backend that does not keep
    /// this promise may end the process.
    case failedAllocations = "failed-allocations"
    /// The promise that a file that is not a store is refused and left unchanged. A backend that does not keep this
    /// promise may take a short file for an unfinished store, and overwrite the file.
    case shortFiles = "short-files"
    /// The promise that a backend frees all memory that it allocates. In a backend that does not keep this promise, the
    /// engine keeps some memory.
    case memory
  }

  /// The promise of ``StorageBackend`` that the backend does not fully keep.
  public let promise: Promise
  /// The actual behavior of the backend and the reason for this behavior, in one sentence.
  public let sentence: String

  /// Declares that a backend does not fully keep `promise`. `sentence` describes the backend's actual behavior.
  public init(_ promise: Promise, _ sentence: String) {
    self.promise = promise
    self.sentence = sentence
  }
}
