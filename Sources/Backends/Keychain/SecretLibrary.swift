import Foundation

/// libsecret and the required functions of GLib, loaded at run time, so that the package can be built without them.
///
/// Only functions with a fixed number of arguments are used, because Swift can call only those through a pointer. The
/// functions ending in `_dbus_path` or `_dbus_paths` belong to the part of libsecret that is documented as subject to
/// change. They have not changed since 0.7 (2012), and avoid a proxy object and a message for each item.
struct SecretLibrary: @unchecked Sendable {
  /// An object of one of the libraries.
  typealias Handle = UnsafeMutableRawPointer
  /// The out parameter for a function's error, a ``GError``.
  typealias ErrorPlace = UnsafeMutablePointer<Handle?>
  /// A list of texts, terminated by nil.
  typealias Texts = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

  /// GLib's error type.
  struct GError {
    var domain: UInt32
    var code: Int32
    var message: UnsafeMutablePointer<CChar>?
  }

  /// The libraries; nil if one of them or a function is missing.
  static let shared = try? SecretLibrary()

  private let textHash: Handle
  private let textEqual: Handle
  private let newTable: @convention(c) (Handle, Handle, Handle?, Handle?) -> Handle
  private let freeText: Handle
  /// Copies a text, for a table of ``newTextTable()``, which frees it.
  let copy: @convention(c) (UnsafePointer<CChar>) -> UnsafeMutablePointer<CChar>
  let insert: @convention(c) (Handle, UnsafeRawPointer, UnsafeRawPointer?) -> Int32
  let value: @convention(c) (Handle, UnsafeRawPointer) -> Handle?
  let releaseTable: @convention(c) (Handle) -> Void
  let retain: @convention(c) (Handle) -> Handle
  let release: @convention(c) (Handle) -> Void
  let free: @convention(c) (UnsafeMutableRawPointer?) -> Void
  let freeTexts: @convention(c) (Texts?) -> Void
  let freeError: @convention(c) (Handle?) -> Void
  let domainName: @convention(c) (UInt32) -> UnsafePointer<CChar>?
  let newContext: @convention(c) () -> Handle
  let pushContext: @convention(c) (Handle) -> Void
  let popContext: @convention(c) (Handle) -> Void
  private let iterate: @convention(c) (Handle, Int32) -> Int32
  let connection: @convention(c) (Handle) -> Handle
  let setExitOnClose: @convention(c) (Handle, Int32) -> Void
  let isClosed: @convention(c) (Handle) -> Int32
  let closeConnection: @convention(c) (Handle, Handle?, ErrorPlace?) -> Int32
  let serviceType: @convention(c) () -> UInt
  let openService: @convention(c) (UInt, UnsafePointer<CChar>?, Int32, Handle?, ErrorPlace) -> Handle?
  let algorithms: @convention(c) (Handle) -> UnsafePointer<CChar>?
  let newSchema: @convention(c) (UnsafePointer<CChar>, Int32, Handle) -> Handle
  let newSecret: @convention(c) (UnsafeRawPointer?, Int, UnsafePointer<CChar>) -> Handle
  let bytes: @convention(c) (Handle, UnsafeMutablePointer<Int>) -> UnsafeRawPointer?
  let releaseSecret: @convention(c) (Handle) -> Void
  let store:
    @convention(c) (
      Handle, Handle, Handle, UnsafePointer<CChar>, UnsafePointer<CChar>, Handle, Handle?, ErrorPlace
    ) -> Int32
  let search:
    @convention(c) (
      Handle, Handle, Handle, Handle?, UnsafeMutablePointer<Texts?>, UnsafeMutablePointer<Texts?>, ErrorPlace
    ) -> Int32
  let secret: @convention(c) (Handle, UnsafePointer<CChar>, Handle?, ErrorPlace) -> Handle?
  let secrets: @convention(c) (Handle, Texts, Handle?, ErrorPlace) -> Handle?
  let delete: @convention(c) (Handle, UnsafePointer<CChar>, Handle?, ErrorPlace) -> Int32
  let lock: @convention(c) (Handle, Texts, Handle?, UnsafeMutablePointer<Texts?>, ErrorPlace) -> Int32
  let alias: @convention(c) (Handle, UnsafePointer<CChar>, Handle?, ErrorPlace) -> UnsafeMutablePointer<CChar>?
  let openCollection: @convention(c) (Handle, UnsafePointer<CChar>, Int32, Handle?, ErrorPlace) -> Handle?
  let isLocked: @convention(c) (Handle) -> Int32
  let openItem: @convention(c) (Handle, UnsafePointer<CChar>, Int32, Handle?, ErrorPlace) -> Handle?
  let attributes: @convention(c) (Handle) -> Handle?

  /// The error for a missing library or function.
  private struct Missing: Error {}

  private init() throws {
    // The libraries stay loaded, because GLib has threads that never end.
    let names = ["libglib-2.0.so.0", "libgobject-2.0.so.0", "libgio-2.0.so.0", "libsecret-1.so.0"]
    let libraries = try names.map { name in
      guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) else { throw Missing() }
      return library
    }
    func address(_ name: String) throws -> Handle {
      for library in libraries { if let found = dlsym(library, name) { return found } }
      throw Missing()
    }
    func function<Function>(_ name: String) throws -> Function { unsafeBitCast(try address(name), to: Function.self) }
    textHash = try address("g_str_hash")
    textEqual = try address("g_str_equal")
    newTable = try function("g_hash_table_new_full")
    freeText = try address("g_free")
    copy = try function("g_strdup")
    insert = try function("g_hash_table_insert")
    value = try function("g_hash_table_lookup")
    releaseTable = try function("g_hash_table_unref")
    retain = try function("g_object_ref")
    release = try function("g_object_unref")
    free = try function("g_free")
    freeTexts = try function("g_strfreev")
    freeError = try function("g_error_free")
    domainName = try function("g_quark_to_string")
    newContext = try function("g_main_context_new")
    pushContext = try function("g_main_context_push_thread_default")
    popContext = try function("g_main_context_pop_thread_default")
    iterate = try function("g_main_context_iteration")
    connection = try function("g_dbus_proxy_get_connection")
    setExitOnClose = try function("g_dbus_connection_set_exit_on_close")
    isClosed = try function("g_dbus_connection_is_closed")
    closeConnection = try function("g_dbus_connection_close_sync")
    serviceType = try function("secret_service_get_type")
    openService = try function("secret_service_open_sync")
    algorithms = try function("secret_service_get_session_algorithms")
    newSchema = try function("secret_schema_newv")
    newSecret = try function("secret_value_new")
    bytes = try function("secret_value_get")
    releaseSecret = try function("secret_value_unref")
    store = try function("secret_service_store_sync")
    search = try function("secret_service_search_for_dbus_paths_sync")
    secret = try function("secret_service_get_secret_for_dbus_path_sync")
    secrets = try function("secret_service_get_secrets_for_dbus_paths_sync")
    delete = try function("secret_service_delete_item_dbus_path_sync")
    lock = try function("secret_service_lock_dbus_paths_sync")
    alias = try function("secret_service_read_alias_dbus_path_sync")
    openCollection = try function("secret_collection_new_for_dbus_path_sync")
    isLocked = try function("secret_collection_get_locked")
    openItem = try function("secret_item_new_for_dbus_path_sync")
    attributes = try function("secret_item_get_attributes")
  }

  /// Returns the message of an error.
  func text(_ error: Handle?) -> String {
    error?.load(as: GError.self).message.map { String(cString: $0) } ?? "no reason is given"
  }

  /// Handles pending signals, such as that an item was created. They would accumulate and keep their connection open.
  func drain(_ context: Handle) { while iterate(context, 0) != 0 {} }

  /// Returns an empty table of texts, which frees its keys and values.
  func newTextTable() -> Handle { newTable(textHash, textEqual, freeText, freeText) }

  /// Returns a schema of items with text attributes. The library never frees it.
  func schema(_ name: String, _ attributes: [StaticString]) -> Handle {
    let types = newTable(textHash, textEqual, nil, nil)
    defer { releaseTable(types) }
    // The constant for a text attribute is 0.
    for attribute in attributes { _ = insert(types, UnsafeRawPointer(attribute.utf8Start), nil) }
    return newSchema(name, 0, types)
  }
}
