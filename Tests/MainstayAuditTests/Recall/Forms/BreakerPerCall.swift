// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let breakerPerCall = Forms(
    "MS511",
    bad: #"""
      func load() async throws -> Data {
        let breaker = CircuitBreaker(threshold: 5)
        return try await breaker.run { try await client.get(url) }
      }
      ---
      func send(_ message: Message) async throws {
        let limiter = RateLimiter(permits: 10, per: .seconds(1))
        try await limiter.acquire()
        try await api.send(message)
      }
      ---
      func fetch() async throws -> Feed {
        try await CircuitBreaker(name: "feed").execute { try await api.feed() }
      }
      ---
      struct Client {
        func call(_ request: Request) async throws -> Response {
          var breaker = CircuitBreaker()
          guard breaker.allowsRequest else { throw ClientError.open }
          do {
            let response = try await transport.send(request)
            breaker.recordSuccess()
            return response
          } catch {
            breaker.recordFailure()
            throw error
          }
        }
      }
      ---
      let bulkhead = Bulkhead(maxConcurrent: 4)
      try await bulkhead.run { try await work() }
      ---
      actor Gateway {
        func pay(_ amount: Int) async throws -> Receipt {
          let circuitBreaker = CircuitBreaker(
            failureThreshold: 3,
            resetTimeout: .seconds(30)
          )
          return try await circuitBreaker.perform {
            try await self.provider.pay(amount)
          }
        }
      }
      ---
      var price: Price {
        get async throws {
          let breaker = CircuitBreaker.init(failures: 3)
          return try await breaker.run { try await shop.price(id) }
        }
      }
      ---
      app.get("items") { request async throws -> [Item] in
        let throttle = RateLimiter(limit: 5)
        try await throttle.acquire()
        return try await request.db.items()
      }
      ---
      func handle(_ request: Request) async -> Response {
        let limiter = TokenBucketRateLimiter(rate: 100)
        if !(await limiter.tryAcquire()) { return .tooManyRequests }
        return await next(request)
      }
      ---
      func search(_ text: String) async throws -> [Hit] {
        if isRemote {
          let breaker = CircuitBreaker(config: .default)
          let hits = try await breaker.execute(operation: { try await remote.search(text) })
          return hits
        }
        return local.search(text)
      }
      ---
      static func download(_ url: URL) async throws -> Data {
        let cb = CircuitBreaker<Data>(maxFailures: 2)
        return try await cb.call { try await fetch(url) }
      }
      ---
      func refresh() {
        Task {
          let breaker = NetworkCircuitBreaker()
          do {
            self.items = try await breaker.run { try await self.api.items() }
          } catch {
            self.error = error
          }
        }
      }
      ---
      func post(_ body: Data) async throws {
        let limiter: RateLimiter = .init(perSecond: 3)
        try await limiter.run { try await http.post(body) }
      }
      ---
      func write(_ row: Row) async throws {
        let bulkhead = Semaphore.Bulkhead(limit: 2)
        return try await bulkhead.execute { try await db.insert(row) }
      }
      ---
      extension API {
        func users() async throws -> [User] {
          let policy = CircuitBreaker(threshold: 3, timeout: 10)
          let users: [User] = try await policy { try await get("/users") }
          return users
        }
      }
      """#,
    good: #"""
      final class Client {
        private let breaker = CircuitBreaker(threshold: 5)
        func load() async throws -> Data {
          try await breaker.run { try await client.get(url) }
        }
      }
      ---
      func makeBreaker() -> CircuitBreaker {
        let breaker = CircuitBreaker(threshold: 5)
        breaker.name = "api"
        return breaker
      }
      ---
      init() {
        let limiter = RateLimiter(permits: 10)
        self.limiter = limiter
      }
      ---
      func load() async throws -> Data {
        let breaker = breakers[host, default: shared]
        return try await breaker.run { try await client.get(url) }
      }
      ---
      let client = Client(breaker: CircuitBreaker(threshold: 5))
      try await client.load()
      """#)
}
