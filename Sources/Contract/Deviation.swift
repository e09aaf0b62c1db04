/// A promise of ``StorageBackend`` that a backend cannot fully keep. The backend's description declares each deviation.
///
/// The conformance kit (the tests of every backend) checks that a backend behaves as declared, and treats an undeclared
/// deviation as a defect. `list backends` and every report show the deviation's ``sentence``.
public struct Deviation: Hashable, Sendable, Codable {
  /// The promises from which a backend may deviate. Each case also gives the behavior of a backend that deviates.
  public enum Promise: String, CaseIterable, Sendable, Codable {
    /// The promise that a stored -0 is returned as -0. A backend that deviates returns 0 for every -0.
    case minusZero = "minus-zero"
    /// The promise that a store which contains both 0 and -0 returns each of them with its sign. A backend that
    /// deviates may return one of the two for both.
    case equalZeros = "equal-zeros"
    /// The promise that a text is returned with the same scalars. Unicode treats some texts as equal, such as é as one
    /// scalar and é as two. A backend that deviates may return an equal text instead.
    case equalTexts = "equal-texts"
    /// The promise that a text with a NUL character is returned whole. If a backend deviates, the text ends before the
    /// NUL.
    case cutTexts = "cut-texts"
    /// The promise that infinities and NaN can be stored. In a backend that deviates, a commit of such a number throws
    /// ``StoreError`` and changes nothing.
    case nonFinite = "non-finite"
    /// The promise that the body of a read or scan may read from the store. In a backend that deviates, such a nested
    /// read throws a ``StoreError``, and the store stays usable.
    case nestedReads = "nested-reads"
    /// The promise that a full disk causes an error, after which the store can be read and holds its earlier records. A
    /// backend that deviates may end the process if any write fails: see ``Deviation/sentence``.
    case fullDisk = "full-disk"
    /// The promise that the backend completes a short write. In a short write, the kernel writes only a part of the
    /// bytes, and this may happen at any time. A backend that deviates may leave an unreadable store: see
    /// ``Deviation/sentence``.
    case shortWrites = "short-writes"
    /// The promise that a failed memory allocation in the engine has no worse effect than an error. A backend that
    /// deviates may end the process: see ``Deviation/sentence``.
    case failedAllocations = "failed-allocations"
    /// The promise that a file that is no store is refused and not changed. A backend that deviates may replace a
    /// short file, as if it were a store whose creation was interrupted: see ``Deviation/sentence``.
    case shortFiles = "short-files"
    /// The promise that a backend frees all memory after its work. In a backend that deviates, the engine's library
    /// keeps some memory, as ``Deviation/sentence`` describes.
    case memory
  }

  /// The promise from which the backend deviates.
  public let promise: Promise
  /// The actual behavior of the backend and the reason for this behavior, in one sentence.
  public let sentence: String

  /// Declares a promise from which a backend deviates, and the sentence that describes the backend's actual behavior.
  public init(_ promise: Promise, _ sentence: String) {
    self.promise = promise
    self.sentence = sentence
  }
}
