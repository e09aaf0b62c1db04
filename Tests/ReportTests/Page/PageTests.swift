import Testing

/// All tests that need a browser, one after the other: two pages at a time would be in each other's way on two cores.
///
/// No time limit stands here: beside the tests of all other targets a test waits long for its turn, and every wait for the
/// browser has a limit of its own.
@Suite(.serialized, .enabled(if: Browser.isInstalled, Comment(rawValue: Browser.absence)))
enum PageTests {}
