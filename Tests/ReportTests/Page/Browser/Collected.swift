import Foundation

/// What a page has said and asked for while it was open.
struct Collected: Sendable, Equatable {
  /// A line on the console.
  struct Message: Sendable, Equatable {
    /// `log`, `warning`, `error`, ...
    var level: String
    /// Its words.
    var text: String
  }

  /// What scripts have written to the console.
  var console: [Message] = []
  /// What the browser itself has written there: what the content security policy has refused, files not found, and so on.
  var log: [Message] = []
  /// Exceptions that nobody has caught, with their stack.
  var exceptions: [String] = []
  /// The addresses that the page has asked for, but for its own and for `data:`.
  var requests: [String] = []
  /// The words of alerts and questions, which were answered with yes.
  var dialogs: [String] = []

  /// All of it as sentences.
  var problems: [String] {
    console.map { "console.\($0.level): \($0.text)" } + log.map { "the browser says (\($0.level)): \($0.text)" }
      + exceptions.map { "uncaught exception: \($0)" } + requests.map { "asks for \($0)" }
      + dialogs.map { "opens a dialog: \($0)" }
  }

  /// The parameters of `Network.requestWillBeSent`.
  struct Sent: Decodable {
    struct Request: Decodable { var url: String }
    /// The request's number.
    var requestId: String
    /// That of the document that it belongs to.
    var loaderId: String
    /// What is asked for.
    var request: Request
  }

  /// Adds what an event says, if it is one that is collected here.
  mutating func read(_ method: String, _ message: Data) {
    switch method {
    case "Runtime.consoleAPICalled":
      struct Call: Decodable {
        var type: String
        var args: [RemoteObject]
      }
      guard let call = decode(Call.self, message) else { return }
      console.append(Message(level: call.type, text: call.args.map(\.words).joined(separator: " ")))
    case "Log.entryAdded":
      struct Added: Decodable {
        struct Entry: Decodable {
          var level: String
          var text: String
          var url: String?
        }
        var entry: Entry
      }
      guard let entry = decode(Added.self, message)?.entry else { return }
      log.append(Message(level: entry.level, text: entry.text + (entry.url.map { " (\($0))" } ?? "")))
    case "Runtime.exceptionThrown":
      struct Thrown: Decodable { var exceptionDetails: ExceptionDetails }
      guard let thrown = decode(Thrown.self, message) else { return }
      exceptions.append(thrown.exceptionDetails.words)
    case "Page.javascriptDialogOpening":
      struct Opening: Decodable { var message: String }
      guard let opening = decode(Opening.self, message) else { return }
      dialogs.append(opening.message)
    default: break
    }
  }

  private func decode<Parameters: Decodable>(_: Parameters.Type, _ message: Data) -> Parameters? {
    try? JSONDecoder().decode(DevTools.Event<Parameters>.self, from: message).params
  }
}

/// A value of the page as DevTools describes it.
struct RemoteObject: Decodable, Sendable {
  /// Its words, for a message.
  let words: String

  private enum Key: String, CodingKey { case type, value, description, unserializableValue }

  /// Reads the value where it is simple, else its description.
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    if let text = try? container.decode(String.self, forKey: .value) {
      words = text
    } else if let text = try container.decodeIfPresent(String.self, forKey: .description) {
      words = text
    } else if let flag = try? container.decode(Bool.self, forKey: .value) {
      words = "\(flag)"
    } else {
      words = try container.decode(String.self, forKey: .type)
    }
  }
}

/// An exception as DevTools describes it.
struct ExceptionDetails: Decodable, Sendable {
  /// `Uncaught`, or the whole message.
  var text: String
  /// What was thrown.
  var exception: RemoteObject?

  /// What was thrown, with its stack if it has one.
  var words: String { exception?.words ?? text }
}
