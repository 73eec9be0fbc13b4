// SPDX-License-Identifier: Apache-2.0

/// What ``Rule/staleError`` is silent about.
let staleErrorGood: [Example] = [
  .good(
    """
    @Observable final class CartModel {
      var message: String?
      func load() {
        message = nil
        do { items = try store.items() } catch { message = "No items" }
      }
    }
    """),
  .good(
    """
    @Observable final class CartModel {
      func load() {
        do {
          items = try store.items()
          message = nil
        } catch { message = "No items" }
      }
    }
    """, because: "it goes once things went well"),
  .good(
    """
    @Observable final class CartModel {
      func load() {
        clearError()
        do { items = try store.items() } catch { message = "No items" }
      }
    }
    """),
  .good(
    """
    @Observable final class CartModel {
      func save() {
        do { try store.save() } catch {
          errorMessage = "Not saved"
          showError = true
        }
      }
    }
    """, because: "an alert is dismissed"),
  .good(
    """
    @Observable final class CartModel {
      func save() {
        do { try store.save() } catch { errorMessage = "Not saved" }
      }
    }
    """,
    others: [
      "Sources/App/CartView.swift":
        "let v = list.alert(\"Error\", isPresented: $shown) {} message: { Text(m.errorMessage) }"
    ], because: "an alert in another file shows it"),
  .good(
    """
    class BaseModel { var errorMessage: String? }
    final class CartModel: BaseModel {
      func save() {
        do { try store.save() } catch { errorMessage = "Not saved" }
      }
    }
    """,
    others: [
      "Sources/App/CartView.swift": """
      struct CartView: View {
        @ObservedObject var model: BaseModel
        var body: some View {
          list.alert("Error", isPresented: $shown) {} message: { Text(model.errorMessage ?? "") }
        }
      }
      """
    ], because: "an alert shows it by the name of its superclass"),
  .good(
    """
    protocol Saving: AnyObject { var errorMessage: String? { get } }
    final class CartModel: Saving {
      var errorMessage: String?
      func save() {
        do { try store.save() } catch { errorMessage = "Not saved" }
      }
    }
    """,
    others: [
      "Sources/App/CartView.swift": """
      struct CartView: View {
        let model: Saving
        var body: some View {
          list.alert("Error", isPresented: $shown) {} message: { Text(model.errorMessage ?? "") }
        }
      }
      """
    ], because: "an alert may show it through a protocol"),
  .good(
    """
    @Observable final class CartModel {
      var message: String? { didSet { tell(message) } }
      func save() {
        do { try store.save() } catch { message = "Not saved" }
      }
    }
    """, because: "the property knows when it changes"),
  .good(
    """
    struct CartView: View {
      var body: some View { field.onChange(of: text) { message = nil } }
      func save() { do { try store.save() } catch { message = "Not saved" } }
    }
    """, because: "it goes when the person types"),
  .good(
    """
    @Observable final class CartModel {
      func dismissError() { message = nil }
      func save() { do { try store.save() } catch { message = "Not saved" } }
    }
    """, because: "the person dismisses it"),
  .good(
    """
    struct CartView: View {
      var body: some View {
        list.task { do { items = try store.items() } catch { message = "No items" } }
      }
    }
    """, because: "it runs once, when the view appears"),
  .good(
    """
    @Observable final class CartModel {
      init() {
        do { items = try store.items() } catch { message = "No items" }
      }
    }
    """, because: "there is no second attempt"),
  .good(
    """
    @Observable final class CartModel {
      func sync() {
        message = nil
        fetch()
      }
      private func fetch() {
        do { items = try store.items() } catch { message = "No items" }
      }
    }
    """, because: "who calls it resets the state"),
]
