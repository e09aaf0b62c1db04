/// The errors of property getters and setters, which cannot throw. A later save throws these errors.
struct KeptErrors {
  /// The first error that occurred when a property was read. Only the next save throws the error.
  var passing: (any Error)?
  /// The errors of properties that were set to invalid values, by object and key. Every save throws the error with the
  /// least number.
  var refusals: [ManagedObject: [String: (number: Int, error: any Error)]] = [:]
  var refusalCount = 0
}

extension ManagedObjectContext {
  func keep(_ error: any Error) {
    if keptErrors.passing == nil { keptErrors.passing = error }
  }

  func keep(_ error: any Error, ofSetting key: String, _ object: ManagedObject) {
    object.flags.insert(.refused)
    keptErrors.refusalCount += 1
    keptErrors.refusals[object, default: [:]][key] = (keptErrors.refusalCount, error)
  }

  func throwKeptError() throws {
    if let error = keptErrors.passing {
      keptErrors.passing = nil
      throw error
    }
    // Objects that this context deletes are ignored, because their values are not written.
    let pending = keptErrors.refusals.lazy.filter { !$0.key.isDeleted || $0.key.isInaccessible }.flatMap(\.value.values)
    if let first = pending.min(by: { $0.number < $1.number }) { throw first.error }
  }

  func forgetRefusal(of key: String, _ object: ManagedObject) {
    keptErrors.refusals[object]?[key] = nil
    if keptErrors.refusals[object]?.isEmpty == true { forgetRefusals(of: object) }
  }

  func forgetRefusals(of object: ManagedObject) {
    guard object.flags.contains(.refused) else { return }
    object.flags.remove(.refused)
    keptErrors.refusals[object] = nil
  }
}
