/// A promise of ``StorageBackend`` that a backend cannot fully keep, declared in its description.
///
/// The conformance kit, which tests every backend, has no list of exceptions. It checks that each declared behavior is
/// the actual one. `list backends` and every report show the deviation's sentence. An undeclared deviation is a fault.
public struct Deviation: Hashable, Sendable, Codable {
  /// The promises from which a backend may deviate, each with the behavior of a backend that deviates.
  public enum Promise: String, CaseIterable, Sendable, Codable {
    /// The number -0 is returned as -0. A backend that deviates returns 0, which is equal to -0.
    case minusZero = "minus-zero"
    /// The numbers 0 and -0 are returned as they were put. A backend that deviates may return one for the other.
    case equalZeros = "equal-zeros"
    /// Texts that Unicode treats as equal, such as é as one scalar and as two, are returned as they were put. A backend
    /// that deviates may return one of them for the other.
    case equalTexts = "equal-texts"
    /// A text with a NUL character is returned whole. A backend that deviates returns the text up to the NUL.
    case cutTexts = "cut-texts"
    /// Infinities and NaN are returned. If a backend deviates, a commit of one throws ``StoreError``, without a change.
    case nonFinite = "non-finite"
    /// The body of a read or scan may read from the store. If a backend deviates, that read throws a ``StoreError``,
    /// and the store stays usable.
    case nestedReads = "nested-reads"
    /// A full disk is an error, after which the store can be read and holds its earlier records. ``Deviation/sentence``
    /// describes what a backend that deviates does. The process may end, also if a write fails for another reason.
    case fullDisk = "full-disk"
    /// A write that the kernel cuts short, which may happen at any time, is completed. ``Deviation/sentence`` describes
    /// what a backend that deviates does. The store may become unreadable.
    case shortWrites = "short-writes"
    /// All memory is freed after the work. If a backend deviates, an engine's library keeps some memory, as
    /// ``Deviation/sentence`` describes.
    case memory
  }

  /// The promise from which the backend deviates.
  public let promise: Promise
  /// The backend's actual behavior and its reason, in one sentence.
  public let sentence: String

  /// Declares the promise from which a backend deviates, and the sentence that describes its actual behavior.
  public init(_ promise: Promise, _ sentence: String) {
    self.promise = promise
    self.sentence = sentence
  }
}
