// SPDX-License-Identifier: Apache-2.0

internal import Mustache

/// A value as templates read it: by the names of its parts, which are found out once.
///
/// Mustache itself finds a part by reflection each time it is asked for, and where it is nil, in
/// everything around the value as well. For a page of fifty rows that was nine tenths of the time.
struct TemplateValue: MustacheParent {
  private let parts: [String: Any]

  private init(_ mirror: Mirror) {
    var parts: [String: Any] = [:]
    for case (let name?, let part) in mirror.children { parts[name] = Self.of(part) }
    self.parts = parts
  }

  func child(named name: String) -> Any? { parts[name] }

  /// A value and all that is in it.
  ///
  /// What is nil is `false`, so that it is not looked for elsewhere.
  static func of(_ value: Any) -> Any {
    switch value {
    case let text as String: return text
    case let truth as Bool: return truth
    case let list as [Any]: return list.map(of)
    default: break
    }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional: return mirror.children.first.map { of($0.value) } ?? false
    case .struct: return TemplateValue(mirror)
    default: return value
    }
  }
}
