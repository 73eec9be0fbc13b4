// SPDX-License-Identifier: Apache-2.0

import MainstayTesting

/// Errors of the package, which must all become an `AppError`.
enum ErrorRules {
  /// Errors that are no `AppErrorConvertible`, and why.
  static let unconverted = [
    "AuditConfigurationError": "is printed by the audit, line by line",
    "BaselineError": "is printed by the audit, as the end of a sentence",
    "CommandFailure": "is written by the program itself, with its status",
    "Diagnostics.Section.TooDeep": "becomes a line of the document",
    "Diagnostics.Section.TooLong": "becomes a line of the document",
    "Diagnostics.Section.TooSlow": "becomes a line of the document",
    "ErrorGroups.Moved": "tells whoever runs a test",
    "ErrorGroups.Unreadable": "tells whoever runs a test",
    "FileWork.Unreadable": "becomes a problem of the report",
    "Git.Failure": "is printed by the audit, as a sentence",
    "PayloadCorpus.Broken": "tells whoever runs a test",
    "PayloadCorpus.Unreadable": "tells whoever runs a test",
    "UnfitText": "is read again at once, for the text in a ConfigurationError",
    "PostgresError": "becomes an `OutboxError` where it leaves the store",
    "RecordedError": "is the record of an error, and stays what it was recorded from",
    "Refusal": "becomes a page of the dashboard",
    "WrongMethod": "becomes a page of the dashboard",
    "ServerFailure": "tells whoever runs a test",
    "StoreFolder.Failure": "stays in the store, which goes on in memory",
    "UnreadablePayload": "is caught by the worker's run, which keeps its cause",
    "Vault.NoCodec": "is caught by the worker's run, which keeps it as a cause",
    "AESGCMPayloadCodec.Failure": "is caught by the worker's run, which keeps it as a cause",
    "HeldPort.NoneFree": "tells whoever runs a test",
    "NotSent": "is caught by the worker's run, which records what it says",
  ]

  /// What users are offered, over the package itself.
  static func census(
    of files: [SourceFile], except exceptions: [String: String] = [:]
  ) -> MappingCensus {
    MappingCensus(
      of: files.map { MappingCensus.SourceText(path: $0.path, bytes: $0.bytes) },
      except: exceptions)
  }

  /// Types that are errors and have no conversion, and exceptions that are none.
  static func unconverted(
    in files: [SourceFile], except exceptions: [String: String] = [:]
  ) -> [Violation] {
    census(of: files, except: exceptions).gaps.map { gap in
      Violation(
        path: gap.file ?? "Tests/RepositoryTests/Rules/ErrorRules.swift", line: gap.line ?? 1,
        rule: "`\(gap.type)` \(gap.problem)", cure: gap.cure)
    }
  }

  /// Places where an `NSError` is thrown that nobody has given a code of his own.
  static func bareErrors(in files: [SourceFile]) -> [Violation] {
    let patterns = [
      ["throw", "NSError", "("], ["throw", "NSError", ".", "init"],
      ["throw", "Foundation", ".", "NSError"],
    ]
    return files.flatMap { file in
      patterns.flatMap(file.places).sorted().map { place in
        file.violation(
          at: place, "a bare `NSError` is thrown",
          cure: "Throw an `AppErrorConvertible` of the module, so that it has a code")
      }
    }
  }
}
