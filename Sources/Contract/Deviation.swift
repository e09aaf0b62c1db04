/// A promise of ``StorageBackend`` that a backend cannot keep as it stands, told in its description.
///
/// The conformance kit knows no exceptions of its own: it reads them here, checks that what is declared is what happens,
/// and `list backends` and every report show the sentence. What is not declared is a fault.
public struct Deviation: Hashable, Sendable, Codable {
  /// The promises that can be deviated from, and what then holds instead.
  public enum Promise: String, CaseIterable, Sendable, Codable {
    /// The number -0 comes back as -0. Instead: as 0, which is equal to it.
    case minusZero = "minus-zero"
    /// 0 and -0 come back each as it was put. Instead: one of them may come back for the other.
    case equalZeros = "equal-zeros"
    /// Texts that Unicode calls equal, such as é as one scalar and as two, come back each as it was put. Instead: one of
    /// them may come back for the other.
    case equalTexts = "equal-texts"
    /// A text comes back whole. Instead: one with a NUL ends there.
    case cutTexts = "cut-texts"
    /// Infinities, and what is not a number, come back. Instead: a commit with one throws ``StoreError``, whole.
    case nonFinite = "non-finite"
    /// The body of a read or scan may read from the store. Instead: it gets a ``StoreError``, and the store is as usable
    /// as before.
    case nestedReads = "nested-reads"
    /// A full disk is an error, after which the store can be read and holds what it held before. Instead: what the
    /// sentence says, which may be the end of the process, also where a write fails for another reason.
    case fullDisk = "full-disk"
    /// A write that the kernel cuts short, which it may do at any time, is made to its end. Instead: what the sentence
    /// says, which may be a store that cannot be read any more.
    case shortWrites = "short-writes"
    /// Work leaves no memory taken. Instead: an engine's library keeps some of it, as the sentence says.
    case memory
  }

  /// Which promise.
  public let promise: Promise
  /// What happens instead and why, in one sentence.
  public let sentence: String

  /// Declares a deviation.
  public init(_ promise: Promise, _ sentence: String) {
    self.promise = promise
    self.sentence = sentence
  }
}
