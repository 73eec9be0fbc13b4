// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let breakHitsSwitch = Forms(
    "MS504",
    bad: #"""
      while true {
        do {
          try await client.send(request)
          return
        } catch let error as HTTPError {
          switch error.status {
          case 429, 503:
            attempts += 1
            if attempts >= 5 { break }
            await wait(attempts)
          default:
            throw error
          }
        }
      }
      ---
      func connect() async {
        var left = 3
        while true {
          do {
            try await socket.connect()
            return
          } catch {
            switch error {
            case SocketError.refused:
              left -= 1
              if left == 0 {
                log.error("giving up")
                break
              }
              await delay()
            default:
              return
            }
          }
        }
      }
      ---
      for attempt in 0..<10 {
        do {
          try write(block)
          return
        } catch let e as POSIXError {
          switch e.code {
          case .EAGAIN:
            if attempt > maxAttempts { break }
            usleep(1000)
          default:
            throw e
          }
        }
      }
      ---
      repeat {
        do {
          return try await query(sql)
        } catch {
          switch classify(error) {
          case .transient:
            retries += 1
            guard retries < limit else { break }
            await backOff(retries)
          case .permanent:
            throw error
          }
        }
      } while true
      ---
      while isRunning {
        do {
          try await step()
        } catch let failure {
          switch failure as? StepError {
          case .busy?:
            count += 1
            if count == 3 { break }
            try? await Task.sleep(for: .seconds(1))
          case .dead?, nil:
            isRunning = false
          }
        }
      }
      ---
      while true {
        do {
          token = try await auth.refresh(token)
          return token
        } catch AuthError.expired(let reason) {
          switch reason {
          case .clock:
            if triesLeft <= 0 { break }
            triesLeft -= 1
            syncClock()
          case .revoked:
            throw AuthError.loggedOut
          }
        }
      }
      ---
      func run() throws {
        var failures = 0
        while true {
          do {
            try process()
            return
          } catch {
            failures += 1
            switch error {
            case is TimeoutError:
              if failures > 5 {
                break
              } else {
                log.warning("again")
              }
            default:
              throw error
            }
          }
        }
      }
      ---
      Task {
        while true {
          do {
            try await peer.sync()
            return
          } catch let e as PeerError {
            switch e {
            case .behind(let count):
              rounds += 1
              if rounds > 1000 { break }
              await catchUp(count)
            case .gone:
              return
            }
          }
        }
      }
      ---
      while attempt < 100 {
        do {
          return try await download(url)
        } catch let error as URLError {
          switch error.code {
          case .timedOut, .networkConnectionLost:
            attempt += 1
            if Date() > deadline { break }
            await pause(attempt)
          default:
            throw error
          }
        }
      }
      ---
      for delay in delays {
        do {
          return try await call()
        } catch {
          switch policy.decision(error) {
          case .retry:
            if budget.isEmpty { break }
            try await Task.sleep(for: delay)
          case .fail:
            throw error
          }
        }
      }
      ---
      struct Retrier {
        mutating func run(_ work: () throws -> Void) {
          while true {
            do {
              try work()
              return
            } catch let error as WorkError {
              switch error.kind {
              case .again:
                self.count += 1
                if self.count >= self.maximum { break }
                self.onRetry?(error)
              case .stop:
                return
              }
            } catch {
              return
            }
          }
        }
      }
      ---
      while true {
        do {
          try lock.acquire()
          break
        } catch {
          switch error as! LockError {
          case .held:
            spins += 1
            if spins > 1_000 && !isPatient { break }
            sched_yield()
          case .broken:
            fatalError()
          }
        }
      }
      ---
      while let job = queue.first {
        do {
          try await job.run()
          queue.removeFirst()
        } catch {
          switch error {
          case let e as RetryableError:
            job.tries += 1
            if job.tries > 3 { break }
            await sleep(e.after)
          default:
            queue.removeFirst()
          }
        }
      }
      ---
      while true {
        do {
          return try await page(next)
        } catch let error as APIError {
          switch error {
          case .rateLimited(let wait):
            waits += 1
            if let limit, waits > limit { break }
            await pause(wait ?? 1)
          case .other:
            throw error
          }
        }
      }
      ---
      while true {
        do {
          try await stream.open()
          return
        } catch {
          switch (error as? StreamError)?.reason {
          case .overload:
            if attempts > 4 {
              if !isForced { break }
            }
            attempts += 1
          default:
            throw error
          }
        }
      }
      """#,
    good: #"""
      retry: while true {
        do {
          return try await call()
        } catch let e as CallError {
          switch e {
          case .busy:
            left -= 1
            if left == 0 { break retry }
          default:
            throw e
          }
        }
      }
      ---
      while true {
        do {
          return try await call()
        } catch let e as CallError {
          switch e {
          case .busy:
            await pause()
          case .quiet:
            break
          default:
            throw e
          }
        }
      }
      ---
      while true {
        do {
          return try await call()
        } catch let e as CallError {
          switch e {
          case .busy:
            left -= 1
            if left == 0 { throw e }
          default:
            throw e
          }
        }
      }
      ---
      for item in items {
        switch item.kind {
        case .text:
          if item.isEmpty { break }
          add(item)
        case .image:
          addImage(item)
        }
      }
      ---
      while true {
        do {
          return try call()
        } catch {
          left -= 1
          if left == 0 { break }
        }
      }
      """#)
}
