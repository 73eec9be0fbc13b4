// SPDX-License-Identifier: Apache-2.0

public import Mainstay

extension AppError {
  /// What the service says about the failure; nil where no service answered, or in another form.
  ///
  /// A service may put what is there instead into the document, such as the version that a change
  /// was not made from: it stands among the ``ProblemDetails/extensions``.
  public var problem: ProblemDetails? {
    underlying.lazy.compactMap { ($0 as? HTTPError)?.problem }.first
  }
}
