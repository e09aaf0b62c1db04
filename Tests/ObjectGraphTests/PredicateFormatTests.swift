import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Semantic 9: NSPredicate's format language.
@Suite struct PredicateFormatTests {
  private func check(
    _ format: String, _ arguments: Any?..., is expected: FetchPredicate, line: SourceLocation = #_sourceLocation
  ) throws {
    let predicate = try FetchPredicate(format: format, argumentArray: arguments)
    #expect(predicate == expected, sourceLocation: line)
    #expect(try FetchPredicate(format: predicate.description) == expected, sourceLocation: line)
  }

  @Test("9: every comparison of the format language")
  func comparisons() throws {
    let age = Property("age")
    for (symbol, comparison) in [
      ("==", ComparisonOperator.equal), ("=", .equal), ("!=", .notEqual), ("<>", .notEqual), ("<", .less),
      ("<=", .lessOrEqual), ("=<", .lessOrEqual), (">", .greater), (">=", .greaterOrEqual), ("=>", .greaterOrEqual),
    ] {
      try check("age \(symbol) 5", is: age.compare(comparison, .value(5)))
      try check("age\(symbol)5", is: age.compare(comparison, .value(5)))
    }
    for (word, comparison) in [
      ("CONTAINS", ComparisonOperator.contains), ("beginswith", .beginsWith), ("EndsWith", .endsWith), ("LIKE", .like),
    ] {
      try check("name \(word) 'x'", is: Property("name").compare(comparison, .value("x")))
      try check("name \(word)[c] 'x'", is: Property("name").ignoringCase.compare(comparison, .value("x")))
      try check("name \(word)[D] 'x'", is: Property("name").ignoringDiacritics.compare(comparison, .value("x")))
      for both in ["[cd]", "[dc]"] {
        let name = Property("name").ignoringCase.ignoringDiacritics
        try check("name \(word)\(both) 'x'", is: name.compare(comparison, .value("x")))
      }
    }
    try check("age BETWEEN {1, -2.5}", is: age.compare(.between, .list([.value(1), .value(.double(-2.5))])))
    try check("age between %@", [1, 2], is: age.between(1, 2))
    try check("age IN {}", is: age.compare(.in, .list([])))
    try check("age in { 1 , 2 }", is: age.isIn([1, 2]))
    try check("age IN $ages", is: age.compare(.in, .variable("ages")))
    try check("name ==[C] 'x'", is: Property("name").ignoringCase == "x")
    try check(
      "age BETWEEN {$low, other.high}", is: age.compare(.between, .list([.variable("low"), .path("other.high")])))
    // A value may stand on the left.
    try check("5 < age", is: age > 5)
    try check("'x' == name", is: Property("name") == "x")
    try check("%@ >= age", 3, is: age <= 3)
  }

  @Test("9: NOT, AND, OR and brackets bind in this order, in any case and as signs")
  func connectives() throws {
    let (a, b, c) = (Property("a") == 1, Property("b") == 2, Property("c") == 3)
    try check("a == 1 OR b == 2 AND c == 3", is: .or([a, .and([b, c])]))
    try check("(a == 1 || b == 2) && c == 3", is: .and([.or([a, b]), c]))
    try check("NOT a == 1 and b == 2", is: .and([.not(a), b]))
    try check("!(a == 1 or b == 2)", is: .not(.or([a, b])))
    try check("not not ! a == 1", is: .not(.not(.not(a))))
    try check("a == 1 AND b == 2 AND c == 3", is: .and([a, b, c]))
    try check("a == 1 AND (b == 2 AND c == 3)", is: .and([a, .and([b, c])]))
    try check("((TRUEPREDICATE)) or falsepredicate", is: .or([.constant(true), .constant(false)]))
    #expect((a && b && c) == .and([a, b, c]))
    #expect((a || b || c) == .or([a, b, c]))
    #expect(FetchPredicate.and([]).description == "TRUEPREDICATE")
    #expect(FetchPredicate.or([]).description == "FALSEPREDICATE")
  }

  @Test("9: ANY, SOME, NONE, SELF, key paths and properties called like keywords")
  func paths() throws {
    try check("ANY courses.name == 'x'", is: Property.any("courses.name") == "x")
    try check("some courses.name == 'x'", is: Property.any("courses.name") == "x")
    try check("NONE courses.name == 'x'", is: .not(Property.any("courses.name") == "x"))
    try check("all courses.name == 'x'", is: Property.all("courses.name") == "x")
    try check("'x' IN courses.name", is: Property.any("courses.name") == "x")
    try check(
      "NOT $x IN[c] courses.name", is: .not(Property.any("courses.name").ignoringCase.compare(.equal, .variable("x"))))
    try check("SELF == nil", is: Property.object == Value.null)
    try check("self.a.b == NULL", is: Property("a.b") == Value.null)
    try check("%K == 1", "a.b", is: Property("a.b") == 1)
    try check("%K.%K == 1", "a", "b.c", is: Property("a.b.c") == 1)
    try check("SELF.%K == %K", "a", "b", is: Property("a").compare(.equal, .path("b")))
    try check("#in == 1", is: Property("in") == 1)
    try check("%K == 1 AND a.%K == 2", "and", "any", is: (Property("and") == 1) && (Property("a.any") == 2))
    try check("zip == $FETCH_SOURCE.zip", is: Property("zip").compare(.equal, .variable("FETCH_SOURCE.zip")))
  }

  @Test("9: literals and arguments of every type")
  func values() throws {
    let a = Property("a")
    try check(#"a == 'it''"#.replacing("''", with: #"\'s'"#), is: a == "it's")
    try check(#"a == "\"\\\n\t\u0000\u00e9'""#, is: a == "\"\\\n\t\0é'")
    try check("a == '%@ %K'", is: a == "%@ %K")
    try check("a == true OR a == YES OR a == FALSE OR a == no", is: .or([a == 1, a == 1, a == 0, a == 0]))
    try check("a == -9223372036854775808", is: a == Int64.min)
    try check("a == 9223372036854775808", is: a == 0x1p63)
    try check("a == 1.5e-3", is: a == 0.0015)
    try check("a == x'00fF'", is: a == [UInt8]([0, 255]))
    let moment = Date(timeIntervalSinceReferenceDate: 1.25)
    let uuid = UUID()
    try check("a == %@", "O'Brien\"; DROP", is: a == "O'Brien\"; DROP")
    try check("a == %@", moment, is: a == moment)
    try check("a == %@", uuid, is: a == uuid)
    try check("a == %@", Data([1, 2]), is: a == Data([1, 2]))
    try check("a == %@", URL(string: "http://x/"), is: a == "http://x/")
    try check("a == %@", nil, is: a == Value.null)
    try check("a == %@", Int?.none, is: a == Value.null)
    try check("a == %@", "a-b".prefix(1), is: a == "a")
    try check("a == %@", UInt8(7), is: a == 7)
    try check("a == %@", true, is: a == 1)
    try check("a == %@", Value.double(.infinity), is: a == Double.infinity)
    try check("a IN %@", ["x", nil] as [String?], is: a.compare(.in, .list([.value("x"), .value(.null)])))
    try check("a IN %@", Set([5]), is: a.isIn([5]))
    try check("a IN {%@, %d}", 1, 2, is: a.isIn([1, 2]))
    try check(
      "a == %d AND a == %ld AND a == %lld AND a == %i", 1, Int64(2), 3, Int16(4),
      is: .and([1, 2, 3, 4].map { a == $0 }))
    try check("a == %f AND a == %lf", 1.5, Float(0.5), is: .and([a == 1.5, a == 0.5]))
    let stack = try Stack()
    let student = try stack.context.student("S1")
    try stack.context.save()
    #expect(try FetchPredicate(format: "a == %@", student) == (Property("a") == student))
    #expect(try FetchPredicate(format: "a CONTAINS %@", student) == (Property.any("a") == student))
    #expect(try FetchPredicate(format: "%@ IN a", student.objectID) == (Property.any("a") == student))
    #expect(try FetchPredicate(format: "SELF IN %@", [student]) == Property.object.isIn([student.objectID]))
    #expect(
      try FetchPredicate(format: "SELF IN %@", Set([student.objectID])) == Property.object.isIn([student.objectID]))
  }

  @Test("9: what cannot be read is refused with the place and what was expected there")
  func refusals() {
    func refused(
      _ format: String, _ arguments: Any?..., at place: Int, because words: String,
      line: SourceLocation = #_sourceLocation
    ) {
      let error = #expect(throws: ObjectGraphError.self, sourceLocation: line) {
        try FetchPredicate(format: format, argumentArray: arguments)
      }
      guard case .invalidPredicate(let text, let position, let reason)? = error else {
        Issue.record("\(error as Any)", sourceLocation: line)
        return
      }
      #expect(text == format && position == place - 1, "\(position): \(reason)", sourceLocation: line)
      #expect(reason.contains(words), "\(reason)", sourceLocation: line)
      #expect(
        "\(ObjectGraphError.invalidPredicate(text, position: position, reason: reason))".contains(
          "character \(place): "))
    }
    // The bugs that people make with NSPredicate: a property given as a value.
    refused("%@ == %@", "studentName", "Ada", at: 1, because: "%K, not %@")
    refused("'studentName' == %@", "Ada", at: 1, because: "%K, not %@")
    refused("%@ CONTAINS 'x'", "studentName", at: 1, because: "%K, not %@")
    refused("name == '%@'", "Ada", at: 13, because: "leave the quotes out")
    refused("%K == 1", 5, at: 1, because: "%K takes a property's name")
    refused("a == %@ AND b == %@", 1, at: 18, because: "no argument for %@")
    refused("a == 1", 1, at: 7, because: "1 arguments given, and 0 used")
    refused("a == %@", [1, 2], at: 6, because: "several found")
    refused("a IN %@", 5, at: 6, because: "a list")
    refused("a IN %@", [[1]], at: 6, because: "not of lists")
    refused("a BETWEEN {1}", at: 11, because: "two values expected")
    refused("a == %d", 1.5, at: 6, because: "whole number")
    refused("a == %f", 1, at: 6, because: "fraction")
    refused("a == %s", "x", at: 6, because: "%K, %@")
    refused("a == %@", UInt64.max, at: 6, because: "18446744073709551615")
    refused("a == %@", Thread.current, at: 6, because: "a value, an object or a list")
    refused("", at: 1, because: "the end")
    refused("a", at: 2, because: "a comparison such as ==")
    refused("a = = 1", at: 5, because: "'='")
    refused("a == ", at: 6, because: "the end")
    refused("a == 1 b == 2", at: 8, because: "AND, OR or the end")
    refused("(a == 1", at: 8, because: "')' expected")
    refused("a == 1)", at: 7, because: "')'")
    refused("a == 'x", at: 6, because: "no end")
    refused(#"a == '\q'"#, at: 7, because: "stands for nothing")
    refused(#"a == '\u12'"#, at: 9, because: "four hexadecimal digits")
    refused("a == x'0'", at: 6, because: "hexadecimal")
    refused("a == 1x", at: 7, because: "after a number")
    refused("a IN {1, }", at: 10, because: "'}'")
    refused("a..b == 1", at: 3, because: "name expected after '.'")
    refused("a == in", at: 6, because: "keyword 'in'")
    refused("and == 1", at: 1, because: "keyword 'and'")
    refused("a MATCHES 'x'", at: 3, because: "LIKE")
    refused("a LIKE[n] 'x'", at: 7, because: "[cd]")
    refused("a LIKE[] 'x'", at: 7, because: "[cd]")
    refused("ANY 5 IN a", at: 1, because: "leave ANY")
    refused("ANY 5 < a", at: 1, because: "on the left")
    refused("SUBQUERY(a, $x, $x.b == 1)", at: 9, because: "functions")
    refused("a == 'e\u{301}e\u{301}' ; 1", at: 11, because: "';'")
    refused("a LIKE[c 'x'", at: 7, because: "']' expected")
    refused("a.@count == 1", at: 3, because: "@count")
    refused("a == # 1", at: 7, because: "a name expected after '#'")
    refused("a == $", at: 7, because: "a name expected after '$'")
    refused("a == b()", at: 7, because: "functions")
    refused("a IN b", at: 6, because: "ANY b ==")
    refused("{5} IN a", at: 1, because: "on the left")
    refused("a == 1 ; DROP", at: 8, because: "';'")
    refused(String(repeating: "(", count: 100_000), at: 201, because: "deeper")
    refused(String(repeating: "NOT ", count: 100_000) + "a == 1", at: 801, because: "deeper")
  }

  @Test("9: random texts are read or refused, and never more than that")
  func garbage() {
    var random = SplitMix64(seed: 3)
    let pieces = [
      "a", "b.c", "==", "<", " ", "(", ")", "{", "}", ",", "'", "\"", "\\", "%@", "%K", "%", "$x", "#", "1", "-", ".",
      "AND",
      "not ", "ANY ", "IN", "BETWEEN", "[c]", "[", "NULL", "x'", "é", "\0", "日", "1e999", "0x1",
    ]
    var readCount = 0
    for _ in 0..<5_000 {
      let text = (0..<Int.random(in: 1...8, using: &random)).map { _ in Everything.pick(pieces, &random) }.joined()
      do {
        let predicate = try FetchPredicate(format: text, argumentArray: [])
        readCount += 1
        #expect(throws: Never.self) { try FetchPredicate(format: predicate.description) }
      } catch is ObjectGraphError {
      } catch {
        Issue.record("\(text): \(error)")
      }
    }
    #expect(readCount > 0)
  }
}
