import Foundation

extension Error {
  /// The error in words. Foundation's own errors describe themselves over several lines; their sentence is shorter.
  var sentence: String {
    if let error = self as? CocoaError { return error.localizedDescription }
    return type(of: self) is NSError.Type ? (self as NSError).localizedDescription : String(describing: self)
  }
}
