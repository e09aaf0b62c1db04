/// A promise of ``StorageBackend`` that a backend does not keep, such as storing NaN. Tests accept only declared
/// deviations.
public struct Deviation: Hashable, Sendable, Codable {
  /// A promise of ``StorageBackend`` that some backends cannot fully keep, such as the promise that NaN can be stored.
  public enum Promise: String, CaseIterable, Sendable, Codable {
    /// The promise that a stored -0 is returned as -0. Backends that break this promise return every -0 as 0.
    case minusZero = "minus-zero"
    /// The promise that a store with both 0 and -0 returns each with its sign. Backends that break this promise may
    /// return one zero for both.
    case equalZeros = "equal-zeros"
    /// The promise that a text keeps its Unicode scalars. Backends that break this promise may return an é of two
    /// scalars as an é of one.
    case equalTexts = "equal-texts"
    /// The promise not to cut texts: a text with a NUL character is returned whole. Backends that break this promise
    /// return the part before the NUL.
    case cutTexts = "cut-texts"
    /// The promise that infinities and NaN can be stored. Backends that break this promise throw ``StoreError`` for
    /// such numbers.
    case nonFinite = "non-finite"
    /// The promise of nested reads: the closure of a read or scan may itself read records. Backends that break this
    /// promise throw ``StoreError`` at such a read.
    case nestedReads = "nested-reads"
    /// The promise that a full disk causes only an error, and that the store can still be read. Backends that break
    /// this promise may end the process or fail to read.
    case fullDisk = "full-disk"
    /// The promise that a short write (of only a part of the bytes) causes no damage. Backends that break this promise
    /// may leave an unreadable store.
    case shortWrites = "short-writes"
    /// The promise that a failed memory allocation causes at most an error. Backends that break this promise may end
    /// the process.
    case failedAllocations = "failed-allocations"
    /// The promise to refuse a short file that is not a store. Backends that break this promise may replace the file by
    /// an empty store.
    case shortFiles = "short-files"
    /// The promise that all allocated memory is freed. The engines of backends that break this promise keep some
    /// memory.
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
