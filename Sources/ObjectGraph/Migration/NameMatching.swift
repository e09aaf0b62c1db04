/// The current name of an entity or property, and its name before a rename.
struct MigratedName {
  var name: String
  var formerName: String?

  init(_ name: String, formerly formerName: String?) {
    self.name = name
    self.formerName = formerName
  }

  /// Returns for each new name the index of the old name for the same thing, or nil.
  ///
  /// The strongest evidence comes first, and each old name is used once. So two names can be swapped, and a name that
  /// was freed by a rename can be reused.
  static func matches(_ old: [MigratedName], _ new: [MigratedName]) -> [Int?] {
    let signs: [(MigratedName, MigratedName) -> Bool] = [
      // Renamed in an earlier version, and unchanged since.
      { $1.formerName != nil && $0.name == $1.name && $0.formerName == $1.formerName },
      { $1.formerName == $0.name },
      // Renamed again: the identifier is still the first name.
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
