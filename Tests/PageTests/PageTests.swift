import Testing

/// All tests that need a browser, one after the other: two pages at a time would be in each other's way on two cores.
@Suite(.serialized, .enabled(if: Browser.isInstalled, Comment(rawValue: Browser.absence)), .timeLimit(.minutes(5)))
enum PageTests {}
