import StorageContract

/// A kind of error of a keychain, with the name and the code (`OSStatus`) of Apple's Keychain.
enum KeychainError: Int32 {
  case duplicate = -25_299
  case notFound = -25_300
  case authenticationFailed = -25_293
  /// The keychain is locked, and no prompt can ask the user for the password.
  case interactionNotAllowed = -25_308
  case parameter = -50

  func error(_ text: String) -> StoreError {
    let text = "keychain: \(text) (\(rawValue))"
    return switch self {
    case .authenticationFailed, .interactionNotAllowed: .locked(text)
    case .duplicate, .notFound, .parameter: .failed(text)
    }
  }
}
