// The errors of property accessors, which cannot throw. A save throws them instead.

/// The errors that property accessors could not throw. A context keeps them until a save throws them.
struct KeptErrors {
  /// The first error of a failed read. The next save throws this error once.
  var passing: (any Error)?
  /// The errors of properties that were set to invalid values, by object. Each save throws one of them. Without the
  /// error, the save would silently omit the value that the program has set.
  var refusals: [ManagedObject: [Refusal]] = [:]
  var refusalCount = 0

  /// The error of one property that was set to an invalid value.
  struct Refusal {
    let key: String
    let error: any Error
    /// The serial number of the refusal in the context. A save throws the error with the least number.
    let number: Int
  }
}

extension ManagedObjectContext {
  /// Keeps the error of a failed read for the next save, if the context does not keep an earlier one.
  func keep(_ error: any Error) {
    if keptErrors.passing == nil { keptErrors.passing = error }
  }

  /// Keeps an error for every save until the property `key` gets a valid value.
  func keep(_ error: any Error, ofSetting key: String, _ object: ManagedObject) {
    forgetRefusal(of: key, object)
    object.flags.insert(.refused)
    keptErrors.refusalCount += 1
    keptErrors.refusals[object, default: []].append(
      KeptErrors.Refusal(key: key, error: error, number: keptErrors.refusalCount))
  }

  /// Throws the first error that the context has kept for the save.
  func throwKeptError() throws {
    if let error = keptErrors.passing {
      keptErrors.passing = nil
      throw error
    }
    // The values of a deleted object are not written, unless another context deleted it.
    let pending = keptErrors.refusals.lazy.filter { !$0.key.isDeleted || $0.key.isInaccessible }.flatMap(\.value)
    if let first = pending.min(by: { $0.number < $1.number }) { throw first.error }
  }

  func forgetRefusal(of key: String, _ object: ManagedObject) {
    keptErrors.refusals[object]?.removeAll { $0.key == key }
    if keptErrors.refusals[object]?.isEmpty == true { forgetRefusals(of: object) }
  }

  /// Removes the errors of an object whose changes are reverted.
  func forgetRefusals(of object: ManagedObject) {
    guard object.flags.contains(.refused) else { return }
    object.flags.remove(.refused)
    keptErrors.refusals[object] = nil
  }

  func forgetErrors() {
    for object in keptErrors.refusals.keys { object.flags.remove(.refused) }
    keptErrors = KeptErrors()
  }
}
