// The errors of accessors, which cannot throw: a save does it for them.

/// The errors that a context keeps until a save throws them.
struct KeptErrors {
  /// The error of an operation that left nothing wrong behind, such as a read. It is thrown once.
  var passing: (any Error)?
  /// The values that properties refused, by object. Each save throws them, because it would write without what the
  /// program has set.
  var refusals: [ManagedObject: [Refusal]] = [:]
  /// The number of refused values so far.
  var refusalCount = 0

  /// A property that was set to what it does not take.
  struct Refusal {
    let key: String
    let error: any Error
    /// Says which was first.
    let number: Int
  }
}

extension ManagedObjectContext {
  /// Keeps an error for the next save alone.
  func keep(_ error: any Error) {
    if keptErrors.passing == nil { keptErrors.passing = error }
  }

  /// Keeps the error of setting a property, for each save until the property is set to something valid.
  func keep(_ error: any Error, ofSetting key: String, _ object: ManagedObject) {
    forgetRefusal(of: key, object)
    object.flags.insert(.refused)
    keptErrors.refusalCount += 1
    keptErrors.refusals[object, default: []].append(
      KeptErrors.Refusal(key: key, error: error, number: keptErrors.refusalCount))
  }

  /// Throws the first error that an accessor could not throw.
  func throwKeptError() throws {
    if let error = keptErrors.passing {
      keptErrors.passing = nil
      throw error
    }
    // The values of a deleted object are not written, unless another context deleted it.
    let pending = keptErrors.refusals.lazy.filter { !$0.key.isDeleted || $0.key.isInaccessible }.flatMap(\.value)
    if let first = pending.min(by: { $0.number < $1.number }) { throw first.error }
  }

  /// Forgets that a property refused something: it has been set to something valid.
  func forgetRefusal(of key: String, _ object: ManagedObject) {
    keptErrors.refusals[object]?.removeAll { $0.key == key }
    if keptErrors.refusals[object]?.isEmpty == true { forgetRefusals(of: object) }
  }

  /// Forgets what the properties of an object refused: its changes are taken back.
  func forgetRefusals(of object: ManagedObject) {
    guard object.flags.contains(.refused) else { return }
    object.flags.remove(.refused)
    keptErrors.refusals[object] = nil
  }

  /// Forgets every error, with the changes that they were about.
  func forgetErrors() {
    for object in keptErrors.refusals.keys { object.flags.remove(.refused) }
    keptErrors = KeptErrors()
  }
}
