/// The version of the Swift compiler that built this executable, such as `6.3.1`.
let compilerVersion: String = {
  // The condition can only compare versions, so each known version has a branch. A test fails if one is missing.
  #if compiler(>=6.4)
    "6.4 or later"
  #elseif compiler(>=6.3.5)
    "6.3.5 or later"
  #elseif compiler(>=6.3.4)
    "6.3.4"
  #elseif compiler(>=6.3.3)
    "6.3.3"
  #elseif compiler(>=6.3.2)
    "6.3.2"
  #elseif compiler(>=6.3.1)
    "6.3.1"
  #elseif compiler(>=6.3)
    "6.3.0"
  #elseif compiler(>=6.2.4)
    "6.2.4 or later"
  #elseif compiler(>=6.2.3)
    "6.2.3"
  #elseif compiler(>=6.2.2)
    "6.2.2"
  #elseif compiler(>=6.2.1)
    "6.2.1"
  #else
    "6.2.0"
  #endif
}()
