// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let queueMutatedWhileDrained = Forms(
    "MS510",
    bad: #"""
      actor SyncQueue {
        private var pending: [Operation] = []
        func drain() async throws {
          for operation in pending {
            try await operation.run()
            pending.removeAll { $0.id == operation.id }
          }
        }
      }
      ---
      final class Outbox {
        var messages: [Message] = []
        func flush() async {
          for message in messages {
            do {
              try await api.send(message)
              messages.removeFirst()
            } catch {
              logger.error("\(error)")
            }
          }
        }
      }
      ---
      @MainActor class UploadQueue: ObservableObject {
        @Published var queue: [Upload] = []
        func process() async {
          for upload in queue {
            await uploader.upload(upload)
            if let index = queue.firstIndex(of: upload) {
              queue.remove(at: index)
            }
          }
        }
      }
      ---
      actor RetryQueue {
        var jobs: [Job] = []
        func run() async {
          for job in self.jobs {
            if await job.perform() {
              self.jobs.removeAll(where: { $0 === job })
            }
          }
        }
      }
      ---
      actor Outbox {
        private var items: [UUID: Item] = [:]
        func flush() async throws {
          for (id, item) in items {
            try await send(item)
            items[id] = nil
          }
        }
      }
      ---
      class OfflineStore {
        var actions = [Action]()
        func replay() async throws {
          for (index, action) in actions.enumerated() {
            try await client.perform(action)
            actions.remove(at: index)
          }
        }
      }
      ---
      actor Mailer {
        private var unsent: Set<Mail> = []
        func sendAll() async {
          for mail in unsent where mail.isComplete {
            guard (try? await smtp.send(mail)) != nil else { continue }
            unsent.remove(mail)
          }
        }
      }
      ---
      actor EventBuffer {
        var events: [Event] = []
        func flush() async throws {
          for event in events {
            try await transport.send(event)
          }
          events.removeAll()
        }
      }
      ---
      actor TaskRunner {
        var waiting: [Work] = []
        func start() async {
          for work in waiting {
            do {
              try await work.run()
            } catch {
              waiting.append(work)
            }
          }
        }
      }
      ---
      final class Syncer {
        private var changes: [Change] = []
        func sync() {
          Task {
            for change in changes {
              try await cloud.push(change)
              changes.removeFirst()
            }
          }
        }
      }
      ---
      actor DownloadQueue {
        var downloads: [Download] = []
        func run() async {
          for download in downloads {
            switch await download.start() {
            case .done:
              downloads.removeAll { $0.url == download.url }
            case .failed:
              break
            }
          }
        }
      }
      ---
      actor Pushes {
        var tokens: [String] = []
        func register() async throws {
          for token in tokens.reversed() {
            try await api.register(token)
            tokens.removeLast()
          }
        }
      }
      ---
      actor Orders {
        var open: [Order] = []
        func submit() async throws {
          for order in open {
            let receipt = try await shop.submit(order)
            receipts.append(receipt)
            open = open.filter { $0.id != order.id }
          }
        }
      }
      ---
      @Observable final class Importer {
        var queue: [URL] = []
        func importAll() async {
          for url in queue {
            defer { queue.removeAll { $0 == url } }
            await store.importFile(url)
          }
        }
      }
      ---
      actor Notifier {
        private var pendingNotifications: [Notification] = []
        func deliver() async {
          for notification in pendingNotifications {
            await center.post(notification)
            _ = pendingNotifications.removeFirst()
          }
        }
      }
      """#,
    good: #"""
      actor SyncQueue {
        private var pending: [Operation] = []
        func drain() async throws {
          let batch = pending
          pending = []
          for operation in batch { try await operation.run() }
        }
      }
      ---
      actor SyncQueue {
        private var pending: [Operation] = []
        private var isDraining = false
        func drain() async throws {
          guard !isDraining else { return }
          isDraining = true
          defer { isDraining = false }
          for operation in pending {
            try await operation.run()
            pending.removeAll { $0.id == operation.id }
          }
        }
      }
      ---
      final class Cache {
        var items: [Item] = []
        func purge() {
          for item in items where item.isOld { items.removeAll { $0.id == item.id } }
        }
      }
      ---
      actor SyncQueue {
        private var pending: [Operation] = []
        func drain() async throws {
          while let operation = pending.popLast() { try await operation.run() }
        }
      }
      ---
      actor Loader {
        var urls: [URL] = []
        func load() async {
          for url in urls {
            let page = await client.page(url)
            pages.append(page)
          }
        }
      }
      """#)
}
