/// The version of the files of a run. A reader refuses another one.
public let schemaVersion = 1
