/// What a store holds of one object: the snapshot that changes are compared with.
///
/// A row never changes; a save or a refresh gives the object another one.
final class Row: Sendable {
  /// Z_OPT: 1 when inserted, one more with each saved change.
  let version: Int64
  /// The attributes' values, then the keys that to-one relationships point to, in ``Entity/columns``' order.
  let values: [Value]

  /// A version as a file tells it, or nil if it is none: the greatest number could not be counted up.
  static func version(_ number: Int64) -> Int64? { number > 0 && number < .max ? number : nil }

  init(version: Int64, values: [Value]) {
    self.version = version
    self.values = values
  }
}
