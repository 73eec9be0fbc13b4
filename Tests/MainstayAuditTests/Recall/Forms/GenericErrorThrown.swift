// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let genericErrorThrown = Forms(
    "MS101",
    bad: #"""
      func checkout(_ cart: Cart) throws {
        guard !cart.items.isEmpty else {
          throw NSError(domain: "CheckoutService", code: 100, userInfo: nil)
        }
        try submit(cart)
      }
      ---
      final class ImageLoader {
        func image(for url: URL) async throws -> UIImage {
          let (data, _) = try await URLSession.shared.data(from: url)
          guard let image = UIImage(data: data) else {
            throw NSError(
              domain: "com.acme.images",
              code: -1,
              userInfo: [NSLocalizedDescriptionKey: "The image could not be decoded"]
            )
          }
          return image
        }
      }
      ---
      actor TokenStore {
        var token: String {
          get throws {
            guard let stored else { throw NSError(domain: "TokenStore", code: 401) }
            return stored
          }
        }
      }
      ---
      struct Config {
        init(path: String) throws {
          if path.isEmpty {
            throw NSError(domain: "config", code: 0, userInfo: ["path": path])
          }
          self.path = path
        }
      }
      ---
      switch response.statusCode {
      case 200..<300:
        break
      case 404:
        throw NSError(domain: "api.example.com", code: 404, userInfo: nil)
      default:
        throw NSError(domain: "api.example.com", code: 1, userInfo: nil)
      }
      ---
      let task = Task {
        for id in ids {
          guard let row = await rows[id] else {
            throw NSError.init(domain: "Sync", code: 3, userInfo: nil)
          }
          await push(row)
        }
      }
      ---
      extension Database {
        func perform(_ work: (Context) throws -> Void) throws {
          guard isOpen else { throw "The database is closed" }
          try work(context)
        }
      }
      ---
      func decode(_ data: Data) throws -> [Item] {
        do {
          return try decoder.decode([Item].self, from: data)
        } catch {
          throw NSError(
            domain: "Decoding", code: 7, userInfo: [NSUnderlyingErrorKey: error])
        }
      }
      ---
      subscript(key: String) -> Int {
        get throws {
          guard let value = values[key] else { throw NSError(domain: "Settings", code: 9) }
          return value
        }
      }
      ---
      static func parse(_ line: Substring) throws -> Entry {
        let parts = line.split(separator: ";")
        if parts.count < 3 { throw NSError(domain: "Importer", code: 12, userInfo: [:]) }
        return Entry(parts)
      }
      ---
      return try await withCheckedThrowingContinuation { continuation in
        store.fetch { result in
          guard let result else {
            continuation.resume(throwing: NSError(domain: "Store", code: 4, userInfo: nil))
            return
          }
          continuation.resume(returning: result)
        }
      }
      ---
      try await database.write { db in
        guard try Player.fetchCount(db) > 0 else {
          throw NSError(domain: "players", code: 2, userInfo: nil)
        }
      }
      """#,
    good: #"""
      func checkout(_ cart: Cart) throws {
        guard !cart.items.isEmpty else { throw CheckoutError.empty }
        try submit(cart)
      }
      ---
      guard read(descriptor, &buffer, 1) == 1 else {
        throw NSError(domain: NSPOSIXErrorDomain, code: Int(errno), userInfo: nil)
      }
      ---
      do {
        try context.save()
      } catch let error as NSError {
        log.error("\(error.domain) \(error.code)")
        throw error
      }
      ---
      let status = SecItemAdd(query as CFDictionary, nil)
      guard status == errSecSuccess else {
        throw NSError(domain: NSOSStatusErrorDomain, code: Int(status))
      }
      ---
      let known = NSError(domain: "Store", code: 4, userInfo: nil)
      log.debug("seen \(known)")
      ---
      guard let url = URL(string: text) else { throw URLError(.badURL) }
      """#)
}
