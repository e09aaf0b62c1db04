import ObjectGraph
import TestSupport
import Testing

/// Semantic 9: figures that a store computes, without objects.
@Suite struct AggregateTests {
  @Test(
    "9: counts, sums, averages, least and greatest values, for all and for groups",
    arguments: [StoreType.sqlite, .inMemory])
  func students(_ type: StoreType) throws {
    let stack = try Stack(type)
    let context = stack.context
    let courses = [try context.course(1, "Music"), try context.course(2, "Physics")]
    for (number, score) in [50.0, 70, 90].enumerated() {
      let student = try context.student("S\(number)")
      for (index, course) in courses.prefix(number == 2 ? 1 : 2).enumerated() {
        let made = try context.score(number * 10 + index, of: student, in: course)
        made.score = score + Double(index)
      }
    }
    try context.save()
    let request = FetchRequest<Score>()
    let figures = [Aggregate(.count, of: "score"), Aggregate(.sum, of: "score"), Aggregate(.average, of: "score")]
    #expect(try context.aggregate(request, figures) == [[5, 332.0, 66.4]])
    request.predicate = Property("score_course.courseName").compare(.equal, .variable("name"))
    request.variables = ["name": .value("Physics")]
    let ends = [Aggregate(.minimum, of: "score"), Aggregate(.maximum, of: "semester")]
    #expect(try context.aggregate(request, ends) == [[51.0, "2026-1"]])
    // Of nothing: one line without groups, none with them.
    request.predicate = .constant(false)
    #expect(try context.aggregate(request, figures + ends) == [[0, 0.0, nil, nil, nil]])
    #expect(try context.aggregate(request, figures, groupedBy: "semester") == [])
  }

  @Test("9: random figures are the same from both kinds of stores and by another way", arguments: 0..<10)
  func randomFigures(_ seed: UInt64) throws {
    let stacks = try [StoreType.sqlite, .inMemory].map { type in
      let stack = try Stack(type, model: try Everything.model())
      var random = SplitMix64(seed: seed)
      try Everything.fill(stack.context, &random)
      try stack.context.save()
      return stack
    }
    let functions: [Aggregate.Function] = [.count, .sum, .average, .minimum, .maximum]
    for attribute in ["small", "medium", "flag", "text", "moment", "bytes", "amount", "in"] {
      for function in functions
      where ["small", "medium", "flag"].contains(attribute) || ![.sum, .average].contains(function) {
        for group in [nil, "flag", "note", "ratio"] {
          let lines = try stacks.map { stack in
            try stack.otherContext().aggregate(
              FetchRequest<ManagedObject>("Item"), [Aggregate(function, of: attribute)], groupedBy: group)
          }
          let what = "\(function) of \(attribute) by \(group ?? "nothing")"
          #expect(lines[0] == lines[1], "\(what)")
          #expect(lines[0] == (try byHand(stacks[0], function, attribute, group)), "\(what)")
        }
      }
    }
  }

  /// The figure of each group, from the objects.
  private func byHand(
    _ stack: Stack, _ function: Aggregate.Function, _ attribute: String, _ group: String?
  ) throws -> [[Value]] {
    var groups: [(group: Value, values: [Value])] = []
    let order = (group.map { [SortKey($0)] } ?? []) + [SortKey(attribute)]
    for item in try stack.otherContext().fetch(FetchRequest<ManagedObject>("Item", sortedBy: order)) {
      let name = try group.map { try item.value(of: try item.entity.attribute($0)) } ?? .null
      if groups.last?.group != name { groups.append((name, [])) }
      let value = try item.value(of: try item.entity.attribute(attribute))
      if !value.isNull { groups[groups.count - 1].values.append(value) }
    }
    return groups.map { line in
      let numbers = line.values.compactMap { value -> Int64? in
        if case .integer(let number) = value { number } else { nil }
      }
      let sum = numbers.reduce(0, &+)
      let figure: Value =
        switch function {
        case .count: .integer(Int64(line.values.count))
        case .sum: .integer(sum)
        case .average: line.values.isEmpty ? .null : .double(Double(sum) / Double(line.values.count))
        case .minimum: line.values.first ?? .null
        case .maximum: line.values.last ?? .null
        }
      return group == nil ? [figure] : [line.group, figure]
    }
  }

  @Test(
    "9: figures that make no sense are refused, and sums that are too great", arguments: [StoreType.sqlite, .inMemory])
  func refusals(_ type: StoreType) throws {
    let stack = try Stack(type, model: try Everything.model())
    for _ in 0..<2 { try stack.context.insert("Item").setValue(Int64.max, forKey: "large") }
    try stack.context.save()
    func refused(_ function: Aggregate.Function, _ key: String, group: String? = nil, because word: String) {
      let (request, figures) = (FetchRequest<ManagedObject>("Item"), [Aggregate(function, of: key)])
      let text = errorText { try stack.context.aggregate(request, figures, groupedBy: group) }
      #expect(text?.contains(word) == true, "\(text ?? "-")")
    }
    refused(.sum, "text", because: "'text' of Item is of type string")
    refused(.average, "moment", because: "'moment' of Item is of type date")
    refused(.count, "nickname", because: "nickname")
    refused(.count, "owner", because: "owner")
    refused(.count, "text", group: "nickname", because: "nickname")
    refused(.sum, "large", because: "overflow")
    #expect(
      try stack.context.aggregate(FetchRequest<ManagedObject>("Item"), [Aggregate(.maximum, of: "large")])
        == [[.integer(.max)]])
  }
}
