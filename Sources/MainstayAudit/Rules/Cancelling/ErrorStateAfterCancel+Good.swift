// SPDX-License-Identifier: Apache-2.0

let errorStateAfterCancelGood: [Example] = [
  .good(
    """
    import Foundation
    final class CartViewModel: ObservableObject {
      func load() async {
        do { items = try await api.items() } catch { handle(error) }
      }
      private func handle(_ error: any Error) {
        guard !(error is CancellationError), (error as? URLError)?.code != .cancelled else {
          return
        }
        errorMessage = error.localizedDescription
      }
    }
    """, because: "the function asks"),
  .good(
    """
    final class CartViewModel: ObservableObject {
      func load() async {
        do { items = try await api.items() } catch where error.isServerError {
          handle(error)
        } catch {
          if error.isWorthShowing { errorMessage = "No luck" }
        }
      }
    }
    """,
    others: [
      "Sources/App/Error+Showing.swift":
        "extension Error { var isWorthShowing: Bool { !(self is CancellationError) } }"
    ], because: "the member asks"),
  .good(
    """
    struct CartView: View {
      func load() async {
        do { items = try await api.items() } catch {
          guard shouldShow(error) else { return }
          message = "No luck"
        }
      }
    }
    """,
    others: [
      "Sources/App/Showing.swift":
        "func shouldShow(_ error: Error) -> Bool { (error as? URLError)?.code != .cancelled }"
    ], because: "a function of the project asks"),
  .good(
    """
    struct CartView: View {
      func load() async {
        do { items = try await api.items() } catch {
          if let problem = error as? CartError { message = problem.text }
        }
      }
    }
    """, because: "no cancellation is a `CartError`"),
  .good(
    """
    struct ReminderView: View {
      func schedule() async {
        do { try await center.schedule() } catch {
          if case ReminderError.notAllowed = error { message = "Allow reminders in Settings." }
        }
      }
    }
    """, because: "no cancellation matches that case"),
  .good(
    """
    final class CartViewModel: ObservableObject {
      func load() async {
        do { items = try await api.items() } catch { handle(error) }
      }
      private func handle(_ error: any Error) {
        if let problem = error as? CartError { errorMessage = problem.text }
      }
    }
    """, because: "the function shows errors of one type alone"),
  .good(
    "do { try await load() } catch { if !(error is CancellationError) { message = text } }"),
  .good(
    "do { try await load() } catch { guard !Task.isCancelled else { return }; message = text }"),
  .good(
    """
    do { try await load() } catch is CancellationError {} catch { message = text }
    """),
  .good(
    "do { try await load() } catch let e as URLError where e.code != .cancelled { message = t }",
    because: "the error is asked"),
  .good(
    "do { try load() } catch { message = text }", because: "what does not wait is not cancelled"),
  .good(
    """
    func find() async -> String? {
      var message: String?
      do { try await load() } catch { message = "none" }
      return message
    }
    """, because: "a local variable is shown to nobody yet"),
  .good(
    """
    @MainActor final class SearchModel {
      func find() async {
        do { hits = try await search() } catch {
          guard generation == run else { return }
          message = "No luck"
        }
      }
    }
    """, because: "a later run cancels this one, and that is asked"),
  .good(
    "do { try await load() } catch { message = nil }", because: "it is taken away"),
  .good(
    """
    actor Link {
      func open() async {
        do { try await dial() } catch { lastFailure = error }
      }
    }
    """, because: "no person sees it"),
]
