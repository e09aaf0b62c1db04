// The errors of property accessors, which cannot throw. A save throws them instead.

/// The errors that a context keeps until a save throws them.
struct KeptErrors {
  /// The error of an operation without lasting effect, such as a read. It is thrown once.
  var passing: (any Error)?
  /// The errors of values that properties refused, by object. Each save throws them, because otherwise it would write
  /// without a value that the program has set.
  var refusals: [ManagedObject: [Refusal]] = [:]
  var refusalCount = 0

  /// An invalid value that a property was set to.
  struct Refusal {
    let key: String
    let error: any Error
    /// The position in the order of all refusals.
    let number: Int
  }
}

extension ManagedObjectContext {
  /// Keeps an error for the next save only.
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

  /// Removes the error of a property that has been set to a valid value.
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

  /// Removes all errors, together with the changes that caused them.
  func forgetErrors() {
    for object in keptErrors.refusals.keys { object.flags.remove(.refused) }
    keptErrors = KeptErrors()
  }
}
