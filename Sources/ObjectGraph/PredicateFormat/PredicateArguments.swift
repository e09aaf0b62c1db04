/// What the `%` of a predicate's text stand for, taken one after another.
struct PredicateArguments {
  /// What is wrong with an argument.
  struct Failure: Error {
    let reason: String
  }

  private let arguments: [Any?]
  private var used = 0

  init(_ arguments: [Any?]) { self.arguments = arguments }

  /// What to say of arguments that nothing stands for.
  var unused: String? {
    used == arguments.count
      ? nil : "\(arguments.count) arguments given, and \(used) used (inside quotes %@ is text: leave the quotes out)"
  }

  private mutating func next(_ kind: String) throws(Failure) -> Any? {
    guard used < arguments.count else { throw Failure(reason: "there is no argument for %\(kind)") }
    defer { used += 1 }
    return arguments[used]
  }

  /// The names that a `%K` stands for.
  mutating func path() throws(Failure) -> String {
    guard let text = try next("K") as? any StringProtocol, !text.isEmpty else {
      throw Failure(reason: "%K takes a property's name; a value is given with %@")
    }
    return String(text)
  }

  /// What any other one stands for.
  mutating func operand(_ kind: String) throws(Failure) -> Operand {
    let argument = try next(kind)
    switch kind.last {
    case "d", "i", "u":
      if let argument = argument as? Bool { return .value(argument.stored) }
      guard let argument = argument as? any BinaryInteger else {
        throw Failure(reason: "%\(kind) takes a whole number")
      }
      return .value(.integer(try Self.integer(argument)))
    case "f", "g":
      guard let argument = argument as? any BinaryFloatingPoint else {
        throw Failure(reason: "%\(kind) takes a number with a fraction")
      }
      return .value(.double(Double(argument)))
    default: return try Self.operand(argument)
    }
  }

  private static func integer(_ number: some BinaryInteger) throws(Failure) -> Int64 {
    guard let number = Int64(exactly: number) else {
      throw Failure(reason: "\(number) is greater than any number kept")
    }
    return number
  }

  private static func operand(_ argument: Any?) throws(Failure) -> Operand {
    guard let argument else { return .value(.null) }
    switch argument {
    case let operand as Operand: return operand
    case let object as ManagedObject: return .object(object.objectID)
    case let id as ManagedObjectID: return .object(id)
    // Before lists: data and bytes are values.
    case let value as any ManagedValue: return .value(value.stored)
    case let number as any BinaryInteger: return .value(.integer(try integer(number)))
    case let text as any StringProtocol: return .value(.string(String(text)))
    case let elements as [Any?]: return try list(elements)
    case let elements as any Collection: return try list(of: elements)
    default: throw Failure(reason: "%@ takes a value, an object or a list of them, not \(type(of: argument))")
    }
  }

  private static func list(of elements: some Collection) throws(Failure) -> Operand { try list(elements.map { $0 }) }

  private static func list(_ elements: [Any?]) throws(Failure) -> Operand {
    var parts: [Operand] = []
    for element in elements {
      let part = try operand(element)
      if case .list = part { throw Failure(reason: "%@ takes a list of values, not of lists") }
      parts.append(part)
    }
    return .list(parts)
  }
}
