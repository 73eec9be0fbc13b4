// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import MainstayOutbox

/// A circuit as pages show it and forms name it.
struct ShownCircuit: Sendable {
  /// By what forms name it: two may have one name.
  let id: String
  let title: String
  let breaker: CircuitBreaker
}

extension Dashboard {
  /// The circuits that were given, and then those of the hosts that outboxes call, each once.
  var circuits: [ShownCircuit] {
    var known: Set<ObjectIdentifier> = []
    let own = breakers.filter { known.insert(ObjectIdentifier($0)).inserted }
    let given = zip(own, own.map(\.name).numbered).map { breaker, name in
      ShownCircuit(id: name, title: name, breaker: breaker)
    }
    let hosts = outboxes.sorted { $0.key < $1.key }.flatMap { name, outbox in
      outbox.circuits.sorted { $0.key < $1.key }
        .filter { !known.contains(ObjectIdentifier($0.value)) }
        .map { host, breaker in
          // No name of an outbox in an address has a slash that is not escaped.
          ShownCircuit(
            id: "outboxes/\(Site.escaped(name))/\(host)", title: "\(breaker.name) of \(name)",
            breaker: breaker)
        }
    }
    return given + hosts
  }
}

extension [String] {
  /// The same names, each once: the second of a name is `name#2`.
  var numbered: [String] {
    var known = Set<String>()
    return map { name in
      var (one, number) = (name, 1)
      while !known.insert(one).inserted {
        number += 1
        one = "\(name)#\(number)"
      }
      return one
    }
  }
}
