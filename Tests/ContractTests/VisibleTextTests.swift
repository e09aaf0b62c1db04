import StorageContract
import Testing

/// Texts from other sources are shown without characters that would control a terminal.
@Suite struct VisibleTextTests {
  @Test(arguments: [
    ("plain: text, with 'quotes' and \\n", "plain: text, with 'quotes' and \\n"),
    ("Café 💥 e\u{301}", "Café 💥 e\u{301}"),
    ("a\u{1B}[31mb", "a\\u{1B}[31mb"), ("a\nb\r\nc\td", "a\\nb\\r\\nc\\td"),
    ("\u{0}\u{7F}\u{9B}", "\\u{0}\\u{7F}\\u{9B}"),
    ("a\u{202E}b\u{2028}", "a\\u{202E}b\\u{2028}"), ("\u{61C}\u{E0041}\u{AD}", "\\u{61C}\\u{E0041}\\u{AD}"),
    ("👩‍💻 می‌خواهم", "👩‍💻 می‌خواهم"),
  ])
  func `what would steer a terminal is written out`(text: String, shown: String) {
    #expect(text.visible == shown)
  }

  @Test(arguments: [
    ("a ::b\n", "a ::b\n"), ("::error::x", "\\::error::x"), ("a\n  ::error::x\n", "a\n  \\::error::x\n"),
    ("a\r\n\t::x", "a\r\n\t\\::x"), ("a ##[error]x", "a ##\\[error]x"),
    ("a ##vso[task.complete]x", "a ##vso\\[task.complete]x"), ("##teamcity[x]", "##teamcity\\[x]"),
  ])
  func `no line is a workflow command`(text: String, written: String) {
    #expect(text.withoutWorkflowCommands == written)
  }
}
