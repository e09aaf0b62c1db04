import StorageContract

/// The errors of a keychain, with the names that Apple's Keychain uses.
enum KeychainError: Error, CustomStringConvertible {
  case duplicate(String)
  case notFound(String)
  case authenticationFailed(String)
  /// The keychain is locked, and no prompt can ask the user for the password.
  case interactionNotAllowed(String)
  case decode(String)
  case parameter(String)
  /// An input or output error, for example because the Secret Service does not respond or cannot write its file.
  case io(String)

  /// The code (`OSStatus`) of this error in Apple's Security framework, such as -25300 for a missing item.
  var status: Int32 {
    switch self {
    case .duplicate: -25_299
    case .notFound: -25_300
    case .authenticationFailed: -25_293
    case .interactionNotAllowed: -25_308
    case .decode: -26_275
    case .parameter: -50
    case .io: -36
    }
  }

  var description: String {
    switch self {
    case .duplicate(let text), .notFound(let text), .authenticationFailed(let text), .interactionNotAllowed(let text),
      .decode(let text), .parameter(let text), .io(let text):
      "keychain: \(text) (\(status))"
    }
  }

  var storeError: StoreError {
    switch self {
    case .authenticationFailed, .interactionNotAllowed: .locked(description)
    case .decode: .damaged(description)
    case .duplicate, .notFound, .parameter, .io: .failed(description)
    }
  }
}
