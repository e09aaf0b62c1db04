import CStorageLMDB

extension SecretLibrary {
  typealias Handle = UnsafeMutableRawPointer
  typealias Failure = UnsafeMutablePointer<SecretError>
  typealias Texts = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

  /// The functions of libsecret and GLib, loaded at the first access. Nil if a library or a function is missing.
  static let shared = storage_secret_load()?.pointee

  func text(_ error: Failure?) -> String {
    error?.pointee.message.map { String(cString: $0) } ?? "no reason is given"
  }

  /// Handles all pending D-Bus signals of a GLib main context (an event loop). Unhandled signals would keep a
  /// connection open.
  func drain(_ context: Handle) { while g_main_context_iteration(context, 0) != 0 {} }

  func schema(_ name: String, _ attributes: [StaticString]) -> Handle {
    let types = g_hash_table_new_full(g_str_hash, g_str_equal, nil, nil)
    defer { g_hash_table_unref(types) }
    // The type of a text attribute, SECRET_SCHEMA_ATTRIBUTE_STRING, is 0, which nil represents.
    for attribute in attributes { _ = g_hash_table_insert(types, attribute.utf8Start, nil) }
    return secret_schema_newv(name, 0, types)
  }
}
