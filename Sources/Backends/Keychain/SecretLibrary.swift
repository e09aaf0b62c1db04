import Foundation

// Variadic C functions are avoided, because Swift cannot call them. libsecret documents its functions for D-Bus paths
// as subject to change, but they are unchanged since 0.7 (2012).
/// The functions of libsecret and GLib, loaded at run time. The package can thus be built without these libraries.
struct SecretLibrary: @unchecked Sendable {
  typealias Handle = UnsafeMutableRawPointer
  /// A pointer through which a C function of GLib returns the address of a ``GError``.
  typealias ErrorPointer = UnsafeMutablePointer<Handle?>
  typealias Texts = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

  struct GError {
    var domain: UInt32
    var code: Int32
    var message: UnsafeMutablePointer<CChar>?
  }

  static let shared: SecretLibrary? = {
    let functions = SecretLibrary()
    return library.isComplete ? functions : nil
  }()

  /// The shared libraries of GLib and libsecret, which are never unloaded, because threads of GLib never end.
  private static let library = SharedLibrary(
    [["libglib-2.0.so.0"], ["libgobject-2.0.so.0"], ["libgio-2.0.so.0"], ["libsecret-1.so.0"]])

  static func function<Function>(_ name: String) -> Function { library.function(name) }

  private init() {}

  private let textHash: Handle = function("g_str_hash")
  private let textEqual: Handle = function("g_str_equal")
  private let newTable: @convention(c) (Handle, Handle, Handle?, Handle?) -> Handle = function("g_hash_table_new_full")
  private let freeText: Handle = function("g_free")
  let copy: @convention(c) (UnsafePointer<CChar>) -> UnsafeMutablePointer<CChar> = function("g_strdup")
  let insert: @convention(c) (Handle, UnsafeRawPointer, UnsafeRawPointer?) -> Int32 = function("g_hash_table_insert")
  let value: @convention(c) (Handle, UnsafeRawPointer) -> Handle? = function("g_hash_table_lookup")
  let releaseTable: @convention(c) (Handle) -> Void = function("g_hash_table_unref")
  let retain: @convention(c) (Handle) -> Handle = function("g_object_ref")
  let release: @convention(c) (Handle) -> Void = function("g_object_unref")
  let free: @convention(c) (UnsafeMutableRawPointer?) -> Void = function("g_free")
  let freeTexts: @convention(c) (Texts?) -> Void = function("g_strfreev")
  let freeError: @convention(c) (Handle?) -> Void = function("g_error_free")
  let domainName: @convention(c) (UInt32) -> UnsafePointer<CChar>? = function("g_quark_to_string")
  let newContext: @convention(c) () -> Handle = function("g_main_context_new")
  let pushContext: @convention(c) (Handle) -> Void = function("g_main_context_push_thread_default")
  let popContext: @convention(c) (Handle) -> Void = function("g_main_context_pop_thread_default")
  private let iterate: @convention(c) (Handle, Int32) -> Int32 = function("g_main_context_iteration")
  let connection: @convention(c) (Handle) -> Handle = function("g_dbus_proxy_get_connection")
  let setExitOnClose: @convention(c) (Handle, Int32) -> Void = function("g_dbus_connection_set_exit_on_close")
  let closeConnection: @convention(c) (Handle, Handle?, ErrorPointer?) -> Int32 = function(
    "g_dbus_connection_close_sync")
  let serviceType: @convention(c) () -> UInt = function("secret_service_get_type")
  let openService: @convention(c) (UInt, UnsafePointer<CChar>?, Int32, Handle?, ErrorPointer) -> Handle? = function(
    "secret_service_open_sync")
  let algorithms: @convention(c) (Handle) -> UnsafePointer<CChar>? = function("secret_service_get_session_algorithms")
  let newSchema: @convention(c) (UnsafePointer<CChar>, Int32, Handle) -> Handle = function("secret_schema_newv")
  let newSecret: @convention(c) (UnsafeRawPointer?, Int, UnsafePointer<CChar>) -> Handle = function("secret_value_new")
  let bytes: @convention(c) (Handle, UnsafeMutablePointer<Int>) -> UnsafeRawPointer? = function("secret_value_get")
  let releaseSecret: @convention(c) (Handle) -> Void = function("secret_value_unref")
  let store:
    @convention(c) (
      Handle, Handle, Handle, UnsafePointer<CChar>, UnsafePointer<CChar>, Handle, Handle?, ErrorPointer
    ) -> Int32 = function("secret_service_store_sync")
  let search:
    @convention(c) (
      Handle, Handle, Handle, Handle?, UnsafeMutablePointer<Texts?>, UnsafeMutablePointer<Texts?>, ErrorPointer
    ) -> Int32 = function("secret_service_search_for_dbus_paths_sync")
  let secret: @convention(c) (Handle, UnsafePointer<CChar>, Handle?, ErrorPointer) -> Handle? = function(
    "secret_service_get_secret_for_dbus_path_sync")
  let secrets: @convention(c) (Handle, Texts, Handle?, ErrorPointer) -> Handle? = function(
    "secret_service_get_secrets_for_dbus_paths_sync")
  let delete: @convention(c) (Handle, UnsafePointer<CChar>, Handle?, ErrorPointer) -> Int32 = function(
    "secret_service_delete_item_dbus_path_sync")
  let alias: @convention(c) (Handle, UnsafePointer<CChar>, Handle?, ErrorPointer) -> UnsafeMutablePointer<CChar>? =
    function("secret_service_read_alias_dbus_path_sync")
  let openCollection: @convention(c) (Handle, UnsafePointer<CChar>, Int32, Handle?, ErrorPointer) -> Handle? = function(
    "secret_collection_new_for_dbus_path_sync")
  let isLocked: @convention(c) (Handle) -> Int32 = function("secret_collection_get_locked")

  func text(_ error: Handle?) -> String {
    error?.load(as: GError.self).message.map { String(cString: $0) } ?? "no reason is given"
  }

  /// Handles all pending D-Bus signals of a GLib main context (an event loop). Unhandled signals would keep a
  /// connection open.
  func drain(_ context: Handle) { while iterate(context, 0) != 0 {} }

  func newTextTable() -> Handle { newTable(textHash, textEqual, freeText, freeText) }

  func schema(_ name: String, _ attributes: [StaticString]) -> Handle {
    let types = newTable(textHash, textEqual, nil, nil)
    defer { releaseTable(types) }
    // The type of a text attribute, SECRET_SCHEMA_ATTRIBUTE_STRING, is 0, which nil represents.
    for attribute in attributes { _ = insert(types, UnsafeRawPointer(attribute.utf8Start), nil) }
    return newSchema(name, 0, types)
  }
}
