/// The script of a page: no library, nothing from a network. Without it a page is as complete to read.
enum PageScript {
  /// What an element must carry to be run; see the page's content security policy.
  static let nonce = "storage-bench"

  /// The whole script. Comments and indentation stay in the sources.
  static let text: String = {
    let parts = [
      PackageResources.elements_js, PackageResources.numbers_js, PackageResources.statistics_js,
      PackageResources.advice_js, PackageResources.view_js, PackageResources.plot_js, PackageResources.explorer_js,
      PackageResources.calculator_js, PackageResources.page_js,
    ]
    // No line break of these files stands within a string: a test runs them.
    let lines = parts.flatMap { String(decoding: $0, as: UTF8.self).split(separator: "\n") }
      .map { $0.drop(while: { $0 == " " }) }
      .filter { !$0.isEmpty && !$0.hasPrefix("//") }
    return "\n\"use strict\";\n" + lines.joined(separator: "\n") + "\n"
  }()
}
