// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let causeDropped = Forms(
    "MS205",
    bad: #"""
      do {
        return try decoder.decode(Feed.self, from: data)
      } catch {
        throw FeedError.invalidData
      }
      ---
      do {
        try await session.upload(for: request, from: body)
      } catch let e {
        throw NetworkError.uploadFailed
      }
      ---
      func open(_ path: String) throws -> Connection {
        do {
          return try Connection(path)
        } catch {
          close()
          isOpen = false
          throw DatabaseError(code: .cannotOpen)
        }
      }
      ---
      struct Token {
        init(_ text: String) throws {
          do {
            claims = try JWT.decode(text)
          } catch {
            throw AuthError.invalidToken(text)
          }
        }
      }
      ---
      do {
        try await model.load()
      } catch is CancellationError {
        throw CancellationError()
      } catch {
        throw ModelError.loading
      }
      ---
      do {
        try context.save()
      } catch {
        if isCritical {
          throw StoreError.lost
        }
        throw StoreError.later
      }
      ---
      let value = try promise.map { data -> Item in
        do {
          return try JSONDecoder().decode(Item.self, from: data)
        } catch {
          throw ClientError.decoding
        }
      }
      ---
      do {
        key = try SecureEnclave.P256.Signing.PrivateKey()
      } catch {
        metrics.increment("key")
        throw KeyError.unavailable(reason: "no enclave")
      }
      ---
      do {
        try channel.writeInbound(frame)
      } catch {
        throw ProtocolError("the frame could not be written")
      }
      ---
      func load(_ id: Int) async throws(LoadError) -> Row {
        do {
          return try await pool.row(id)
        } catch {
          switch id {
          case 0: throw .reserved
          default: throw .missing(id)
          }
        }
      }
      ---
      extension Keychain {
        var token: String {
          get throws {
            do {
              return try read("token")
            } catch let problem {
              let failure = KeychainError.unreadable
              throw failure
            }
          }
        }
      }
      ---
      try await withThrowingTaskGroup(of: Void.self) { group in
        do {
          try await group.waitForAll()
        } catch {
          group.cancelAll()
          throw ImportError.incomplete(done: done.count)
        }
      }
      """#,
    good: #"""
      do {
        return try decoder.decode(Feed.self, from: data)
      } catch {
        throw FeedError.invalidData(underlying: error)
      }
      ---
      do {
        try context.save()
      } catch let failure {
        let wrapped = StoreError(failure)
        throw wrapped
      }
      ---
      do {
        try open()
      } catch POSIXError.ENOENT {
        throw StoreError.missing
      }
      ---
      do {
        try await work()
      } catch {
        try Task.checkCancellation()
        throw error
      }
      ---
      do {
        return try read()
      } catch {
        throw ReadError.failed("\(error)")
      }
      """#)
}
