// SPDX-License-Identifier: Apache-2.0

/// The runtime's own answer to "which case is this": the function by which `print` names a case.
///
/// It goes past a custom description, knows cases without payload (`Mirror` does not), and answers
/// nil for what is no enum and where the program was built without reflection metadata.
@_silgen_name("swift_EnumCaseName")
private func runtimeCaseName<T>(_ value: T) -> UnsafePointer<CChar>?

/// Names of cases, without their payloads.
enum EnumCase {
  /// The name of the case; nil for what is no enum, or where the program has no such names.
  static func name<T>(of value: T) -> String? {
    runtimeCaseName(value).map { String(cString: $0) }
  }

  /// Where the name of the case lies in memory: the same for all values of one case in one run.
  static func address<T>(of value: T) -> UInt? {
    runtimeCaseName(value).map { UInt(bitPattern: $0) }
  }
}
