/// A promise of ``StorageBackend`` that a backend cannot fully keep, declared in its description.
///
/// The conformance kit has no list of exceptions. It reads the deviations here and checks that the declared behaviour
/// is the actual one. `list backends` and every report show the sentence. An undeclared deviation is a fault.
public struct Deviation: Hashable, Sendable, Codable {
  /// The promises from which a backend may deviate, and what it does instead.
  public enum Promise: String, CaseIterable, Sendable, Codable {
    /// The number -0 is returned as -0. Instead: it is returned as 0, which is equal to it.
    case minusZero = "minus-zero"
    /// 0 and -0 are returned as they were put. Instead: one of them may be returned for the other.
    case equalZeros = "equal-zeros"
    /// Texts that Unicode treats as equal, such as é as one scalar and as two, are returned as they were put. Instead:
    /// one of them may be returned for the other.
    case equalTexts = "equal-texts"
    /// A text comes back whole. Instead: one with a NUL ends there.
    case cutTexts = "cut-texts"
    /// Infinities and NaN are returned. Instead: a commit that contains one throws ``StoreError`` and changes nothing.
    case nonFinite = "non-finite"
    /// The body of a read or scan may read from the store. Instead: it gets a ``StoreError``, and the store stays
    /// usable.
    case nestedReads = "nested-reads"
    /// A full disk is an error, after which the store can be read and holds what it held before. Instead: as
    /// ``Deviation/sentence`` says. The process may end, also if a write fails for another reason.
    case fullDisk = "full-disk"
    /// A write that the kernel cuts short, which may happen at any time, is completed. Instead: as
    /// ``Deviation/sentence`` says. The store may become unreadable.
    case shortWrites = "short-writes"
    /// All memory is freed after the work. Instead: an engine's library keeps some of it, as ``Deviation/sentence``
    /// says.
    case memory
  }

  /// The promise from which the backend deviates.
  public let promise: Promise
  /// The actual behaviour and its reason, in one sentence.
  public let sentence: String

  /// Declares a deviation.
  public init(_ promise: Promise, _ sentence: String) {
    self.promise = promise
    self.sentence = sentence
  }
}
