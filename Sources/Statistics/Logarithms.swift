// The only import of the target: three functions of the C library, whose module name depends on the platform.
#if canImport(Darwin)
  import Darwin

  func log(_ x: Double) -> Double { Darwin.log(x) }
  func exp(_ x: Double) -> Double { Darwin.exp(x) }
  func pow(_ x: Double, _ y: Double) -> Double { Darwin.pow(x, y) }
#elseif canImport(Musl)
  import Musl

  func log(_ x: Double) -> Double { Musl.log(x) }
  func exp(_ x: Double) -> Double { Musl.exp(x) }
  func pow(_ x: Double, _ y: Double) -> Double { Musl.pow(x, y) }
#else
  import Glibc

  func log(_ x: Double) -> Double { Glibc.log(x) }
  func exp(_ x: Double) -> Double { Glibc.exp(x) }
  func pow(_ x: Double, _ y: Double) -> Double { Glibc.pow(x, y) }
#endif
