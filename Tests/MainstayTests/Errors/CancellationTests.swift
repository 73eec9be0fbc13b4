// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private let plainForms: [any Error] = [
  CancellationError(), URLError(.cancelled), POSIXError(.ECANCELED),
  CocoaError(.userCancelled), NSError(domain: "NSURLErrorDomain", code: -999),
  NSError(domain: NSPOSIXErrorDomain, code: Int(ECANCELED)),
  NSError(domain: NSCocoaErrorDomain, code: 3072),
  NSError(domain: "kCFErrorDomainCFNetwork", code: -999),
  NSError(domain: "NSOSStatusErrorDomain", code: -128),
  NSError(domain: "com.apple.LocalAuthentication", code: -2),
  NSError(domain: "com.apple.LocalAuthentication", code: -4),
  NSError(domain: "com.apple.LocalAuthentication", code: -9),
  NSError(domain: "com.apple.AuthenticationServices.AuthorizationError", code: 1001),
  NSError(domain: "com.apple.AuthenticationServices.WebAuthenticationSession", code: 1),
  NSError(domain: "SKErrorDomain", code: 2), NSError(domain: "CKErrorDomain", code: 20),
  NSError(domain: "PHPhotosErrorDomain", code: 3072), NSError(domain: "NFCError", code: 200),
]

private func wrapped(_ error: any Error) -> NSError {
  NSError(domain: "Shop", code: 1, userInfo: [NSUnderlyingErrorKey: error])
}

private struct Traced: Fingerprint.Wrapper {
  let wrapped: any Error
}

private struct TimeLimitPassed: AppErrorConvertible {
  var appError: AppError { .timeout(cause: CancellationError()) }
}

/// An app's own error that knows nothing about its cause.
private struct Own: AppErrorConvertible {
  let cause: any Error
  var appError: AppError { .unknown(cause) }
}

/// One that looks at its cause first.
private struct Looking: AppErrorConvertible {
  let cause: any Error
  var appError: AppError { cause.isCancellation ? .cancelled() : .timeout(cause: cause) }
}

private let ownErrors: [@Sendable (any Error) -> any Error] = [
  { Own(cause: $0) }, { Looking(cause: $0) }, { Own(cause: Traced(wrapped: $0)) },
]

private func nested(_ error: any Error, in own: Int, _ depth: Int) -> any Error {
  (0..<depth).reduce(error) { error, _ in ownErrors[own](error) }
}

@Suite struct CancellationTests {
  @Test(.requirement("T18", "E8", "E35"), arguments: plainForms.indices)
  func `every plain form is a cancellation`(_ index: Int) {
    let error = plainForms[index]
    #expect(error.isCancellation)
    #expect(AppError.from(error) == .cancelled())
    #expect(AppError.unknown(error) == .cancelled())
  }

  @Test(.requirement("T18", "E8"), arguments: plainForms.indices)
  func `a chain that ends in one is a cancellation`(_ index: Int) {
    let error = wrapped(wrapped(plainForms[index]))
    #expect(error.isCancellation)
    #expect(AppError.from(error) == .cancelled())
  }

  @Test(arguments: plainForms.indices)
  func `a wrapper of one is a cancellation`(_ index: Int) {
    let error = Traced(wrapped: Traced(wrapped: plainForms[index]))
    #expect(error.isCancellation)
    #expect(AppError.from(error) == .cancelled())
    #expect(!Traced(wrapped: POSIXError(.EIO)).isCancellation)
    #expect(!Traced(wrapped: TimeLimitPassed()).isCancellation)
  }

  @Test(.requirement("T18", "E8", "E12"), arguments: ownErrors.indices, 1...4)
  func `own errors around one are a cancellation, up to four deep`(own: Int, depth: Int) async {
    // What ships with Mainstay asks about its cause, too.
    let causes: [any Error] = [
      CancellationError(), URLError(.cancelled), AppError.cancelled(),
      AppError.Service.unknown(URLError(.cancelled)), wrapped(URLError(.cancelled)),
    ]
    for cause in causes {
      let error = nested(cause, in: own, depth)
      #expect(error.isCancellation)
      #expect(AppError.from(error) == .cancelled())
      #expect(AppError.unknown(error) == .cancelled())
      #expect(AppError.decoding(error) == .cancelled())
      #expect(Fingerprint(of: error).isCancellation)
      await #expect(throws: (any Error).self) {
        try await Pipeline("p") { Timeout(.seconds(10)) }.run {
          throw error
        } fallback: { _ in
          Issue.record("A cancellation has no fallback.")
        }
      }
    }
    let failure = nested(POSIXError(.EIO), in: own, depth)
    #expect(!failure.isCancellation && AppError.from(failure).disposition != .cancelled)
  }

  @Test(.requirement("E12")) func `it is never shown as a failure`() {
    let error = AppError.cancelled()
    #expect(error.isCancellation)
    #expect(error.severity == .debug)
    #expect(error.disposition.span == .ok)
    #expect(error.disposition.breaker == .neutral)
    #expect(error.disposition.retry == .never)
    #expect(!error.actions.contains(.retry))
  }

  @Test(.requirement("T18")) func `other errors are none`() {
    let others: [any Error] = [
      URLError(.timedOut), POSIXError(.EINTR), CocoaError(.fileNoSuchFile), AppError.offline(),
      NSError(domain: "Shop", code: -999), NSError(domain: "Shop", code: 3072),
      NSError(domain: "com.apple.LocalAuthentication", code: -1),
      NSError(domain: "com.apple.AuthenticationServices.AuthorizationError", code: 1000),
      NSError(domain: "com.apple.AuthenticationServices.WebAuthenticationSession", code: 2),
      NSError(domain: "SKErrorDomain", code: 0), NSError(domain: "CKErrorDomain", code: 2),
      NSError(domain: "PHPhotosErrorDomain", code: 3300), NSError(domain: "NFCError", code: 201),
      wrapped(URLError(.timedOut)),
    ]
    for error in others { #expect(!error.isCancellation) }
  }

  @Test func `an enum of a framework is known by the names of its type and its case`() {
    let cases = [String(reflecting: Purchase.self): "userCancelled"]
    #expect(CancellationCheck.isNamed(Purchase.userCancelled, in: cases))
    let erased: any Error = Purchase.userCancelled
    #expect(CancellationCheck.isNamed(erased, in: cases))
    #expect(!CancellationCheck.isNamed(Purchase.network(POSIXError(.EIO)), in: cases))
    #expect(!CancellationCheck.isNamed(Other.userCancelled, in: cases))
    #expect(!CancellationCheck.isNamed(NSError(domain: "Shop", code: 2), in: cases))
    #expect(!Purchase.userCancelled.isCancellation, "nobody knows this one")
  }

  @Test(.requirement("T18")) func `the error is asked and not the task`() async {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return (Task.isCancelled, POSIXError(.EIO).isCancellation, AppError.from(POSIXError(.EIO)))
    }
    let (isTaskCancelled, isCancellation, error) = await task.value
    #expect(isTaskCancelled)
    #expect(!isCancellation)
    #expect(error.code == "storage.failed")

    let child = Task { try Task.checkCancellation() }
    child.cancel()
    let result = await child.result
    #expect(!Task.isCancelled)
    #expect(result.error?.isCancellation ?? true)
  }

  @Test func `a time limit that stopped its own work is a timeout`() {
    #expect(!TimeLimitPassed().isCancellation)
    #expect(AppError.from(TimeLimitPassed()).kind == .timeout)
  }

  @Test func `one of several causes does not make a cancellation`() {
    let info = ["NSMultipleUnderlyingErrorsKey": [CancellationError(), POSIXError(.EIO)]]
    let error = NSError(domain: "Shop", code: 1, userInfo: info)
    #expect(!error.isCancellation)
    #expect(AppError.from(error).cause(as: POSIXError.self)?.code == .EIO)
  }

  @Test func `a chain that leads back to itself comes to an end`() {
    let error = CyclicError(domain: "Shop", code: 1)
    #expect(!error.isCancellation)
    let mapped = AppError.from(error)
    #expect(mapped.code == "unknown")
    #expect(mapped.description.utf8.count < 1_000)
  }

  @Test func `a chain of a thousand causes comes to an end`() {
    var error = NSError(domain: "Shop", code: 1)
    for _ in 0..<1_000 { error = wrapped(error) }
    #expect(!error.isCancellation)
    #expect(AppError.from(error).description.utf8.count < 1_000)
  }
}

/// As those of StoreKit are.
private enum Purchase: Error {
  case network(POSIXError), userCancelled
}

private enum Other: Error {
  case userCancelled
}

/// Its own cause.
private final class CyclicError: NSError, @unchecked Sendable {
  override var userInfo: [String: Any] { [NSUnderlyingErrorKey: self] }
}
