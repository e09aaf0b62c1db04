extension FetchPredicate {
  /// Reads a predicate in NSPredicate's format language.
  ///
  ///     try FetchPredicate(format: "%K == %@ AND ANY student_course.courseName BEGINSWITH[c] %@", "studentId", id, "mu")
  ///
  /// - `%K` takes a property's name or path, `%@` a value, an object, or an array or set of them for `IN` and
  ///   `BETWEEN`; `%d`, `%ld`, `%lld` take whole numbers, `%f` and `%lf` fractions. Inside quotes they are text.
  /// - Comparisons are `==` or `=`, `!=` or `<>`, `<`, `<=`, `>`, `>=`, `BETWEEN {a, b}`, `IN {a, b}`, `CONTAINS`,
  ///   `BEGINSWITH`, `ENDSWITH` and `LIKE`; `[c]` behind one ignores capitals, `[d]` accents. `ANY` (or `SOME`), `ALL`
  ///   and `NONE` before a path go over to-many relationships; `%@ IN path` is `ANY path == %@`, and so is
  ///   `path CONTAINS %@` with an object.
  /// - They are put together with `NOT` (`!`), `AND` (`&&`), `OR` (`||`) and brackets.
  /// - Values are numbers, `'text'` and `"text"` (with `\n`, `\t`, `\r`, `\uXXXX` and `\` before a quote or itself),
  ///   `x'bytes in hexadecimal'`, `TRUE`, `YES`, `FALSE`, `NO`, `NULL`, `NIL`, and `$VARIABLES`
  ///   (``FetchRequest/variables``).
  /// - Keywords are written in any case; a property called like one is written `#name`.
  ///
  /// - Parameters:
  ///   - format: The predicate.
  ///   - arguments: What its `%` stand for, in order.
  /// - Throws: ``ObjectGraphError/invalidPredicate(_:position:reason:)`` with the place and what was expected there.
  public init(format: String, _ arguments: Any?...) throws {
    try self.init(format: format, argumentArray: arguments)
  }

  /// Reads a predicate in NSPredicate's format language; see ``init(format:_:)``.
  ///
  /// - Throws: ``ObjectGraphError/invalidPredicate(_:position:reason:)`` with the place and what was expected there.
  public init(format: String, argumentArray arguments: [Any?]) throws {
    do {
      var tokenizer = PredicateTokenizer(format)
      var parser = PredicateParser(tokens: try tokenizer.tokens(), arguments: arguments)
      self = try parser.parse()
    } catch let error as PredicateSyntaxError {
      let start = format.unicodeScalars.startIndex
      let place = format.unicodeScalars.index(start, offsetBy: error.position)
      throw ObjectGraphError.invalidPredicate(
        format, position: format.distance(from: start, to: place), reason: error.reason)
    }
  }
}
