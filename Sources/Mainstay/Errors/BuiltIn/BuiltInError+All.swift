// SPDX-License-Identifier: Apache-2.0

extension BuiltInError {
  /// The parts of the table, by what they are about.
  static let parts: [(about: String, rows: [BuiltInError])] = [
    ("Anything", general),
    ("The network", network + [networkFailed]),
    ("Files", storage),
    ("Forms of data", coding),
    ("Answers of HTTP", http),
    ("Databases and JSON-RPC", databases),
    ("Policies", policies),
    ("Framework, clients, contexts and capabilities", framework),
    ("Services, data and recognition", service),
    ("Permissions and accounts", app),
  ]
}

extension AppError {
  /// One error of each kind that Mainstay makes, with its texts, by what it is about.
  package static var builtIn: [(about: String, errors: [AppError])] {
    BuiltInError.parts.map { about, rows in
      (about, rows.map { AppError($0, at: SourceSite(function: "builtIn")) })
    }
  }
}
