/// The current name of an entity or property, and its name before a rename.
struct MigratedName {
  var name: String
  var formerName: String?

  init(_ name: String, formerly formerName: String?) {
    self.name = name
    self.formerName = formerName
  }

  /// For each of the new names the place of the old one that stands for the same thing, or nil.
  ///
  /// The surest signs come first, and nothing is taken twice: so two names can be swapped, and a name that was left
  /// by a rename can be used for something new.
  static func matches(_ old: [MigratedName], _ new: [MigratedName]) -> [Int?] {
    let signs: [(MigratedName, MigratedName) -> Bool] = [
      // Renamed in an earlier version, and the same since.
      { $1.formerName != nil && $0.name == $1.name && $0.formerName == $1.formerName },
      { $1.formerName == $0.name },
      // Renamed again, the first name being the identifier all along.
      { $1.formerName != nil && $0.formerName == $1.formerName },
      { $0.name == $1.name },
      // Renamed back.
      { $0.formerName == $1.name },
    ]
    var matches = [Int?](repeating: nil, count: new.count)
    var taken: Set<Int> = []
    for isSame in signs {
      for place in new.indices where matches[place] == nil {
        guard let found = old.indices.first(where: { !taken.contains($0) && isSame(old[$0], new[place]) }) else {
          continue
        }
        matches[place] = found
        taken.insert(found)
      }
    }
    return matches
  }
}

extension Entity {
  var migratedName: MigratedName { MigratedName(name, formerly: description.renamingIdentifier) }
}

extension Attribute {
  var migratedName: MigratedName { MigratedName(name, formerly: description.renamingIdentifier) }
}

extension Relationship {
  var migratedName: MigratedName { MigratedName(name, formerly: description.renamingIdentifier) }
}
