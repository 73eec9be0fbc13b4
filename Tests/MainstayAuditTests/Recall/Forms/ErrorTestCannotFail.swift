// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let errorTestCannotFail = Forms(
    "MS801", path: "Tests/AppTests/CodeTests.swift",
    bad: #"""
      final class ParserTests: XCTestCase {
        func testEmpty() {
          do {
            _ = try Parser.parse("")
          } catch {
            XCTAssertEqual(error as? ParseError, .empty)
          }
        }
      }
      ---
      @Test func emptyIsAnError() throws {
        do {
          _ = try parse("")
        } catch {
          #expect(error is ParseError)
        }
      }
      ---
      @Suite struct LoginTests {
        @Test func `a wrong password is refused`() async {
          do {
            try await auth.login("anna", "wrong")
          } catch let error as AuthError {
            #expect(error == .wrongPassword)
          } catch {
            #expect(Bool(false))
          }
        }
      }
      ---
      class NetworkTests: XCTestCase {
        func testTimeout() async throws {
          let client = Client(timeout: 0)
          do {
            _ = try await client.get(url)
          } catch let e as URLError {
            XCTAssertEqual(e.code, .timedOut)
          }
        }
      }
      ---
      class StoreTests: XCTestCase {
        func testDuplicate() {
          let store = Store()
          do {
            try store.insert(row)
            try store.insert(row)
          } catch StoreError.duplicate(let id) {
            XCTAssertEqual(id, row.id)
          } catch {
            XCTFail("another error: \(error)")
          }
        }
      }
      ---
      class OrderTests: XCTestCase {
        func test_negativeAmount_throws() {
          do {
            let order = try Order(amount: -1)
            print(order)
          } catch {
            XCTAssertTrue(error is OrderError)
            XCTAssertEqual(error.localizedDescription, "The amount is negative")
          }
        }
      }
      ---
      @Test(arguments: ["", "a", "1"])
      func badInput(text: String) {
        do {
          let number = try Number(text)
          _ = number
        } catch {
          #expect(error == NumberError.invalid)
        }
      }
      ---
      class DecodeTests: XCTestCase {
        func testMissingKey() throws {
          do {
            _ = try decoder.decode(Item.self, from: data)
          } catch DecodingError.keyNotFound(let key, _) {
            XCTAssertEqual(key.stringValue, "id")
          }
        }
      }
      ---
      class FileTests: XCTestCase {
        func testNoFile() {
          for path in ["", "/none"] {
            do {
              try reader.open(path)
            } catch {
              XCTAssert(error is CocoaError)
            }
          }
        }
      }
      ---
      class AsyncTests: XCTestCase {
        func testFailure() async {
          let task = Task { try await work() }
          do {
            try await task.value
          } catch {
            XCTAssertNotNil(error as? WorkError)
          }
        }
      }
      ---
      @Test func quota() async throws {
        await service.fill()
        do {
          try await service.add(item)
        } catch let error {
          let failure = try #require(error as? QuotaError)
          #expect(failure.limit == 10)
        }
      }
      ---
      class TokenTests: XCTestCase {
        func testExpired() {
          do {
            try verifier.verify(token)
          } catch {
            guard case TokenError.expired(let date) = error else {
              XCTFail("wrong error")
              return
            }
            XCTAssertEqual(date, now)
          }
        }
      }
      ---
      class SwitchTests: XCTestCase {
        func testCode() {
          do {
            try run()
          } catch {
            switch error {
            case RunError.first: XCTAssertTrue(true)
            default: XCTFail("\(error)")
            }
          }
        }
      }
      ---
      class NimbleTests: XCTestCase {
        func testMessage() {
          do {
            try validate("")
          } catch {
            XCTAssertEqual("\(error)", "empty")
          }
          reset()
        }
      }
      ---
      class QueueTests: XCTestCase {
        func testFull() throws {
          let queue = Queue(limit: 1)
          try queue.add(1)
          do {
            try queue.add(2)
          } catch let error as QueueError {
            XCTAssertEqual(error, QueueError.full, "a second one must not fit")
          }
          XCTAssertEqual(queue.count, 1)
        }
      }
      """#,
    good: #"""
      @Test func emptyIsAnError() {
        #expect(throws: ParseError.empty) { try parse("") }
      }
      ---
      class ParserTests: XCTestCase {
        func testEmpty() {
          do {
            _ = try parse("")
            XCTFail("no error")
          } catch {
            XCTAssertEqual(error as? ParseError, .empty)
          }
        }
      }
      ---
      class ParserTests: XCTestCase {
        func testEmpty() {
          XCTAssertThrowsError(try parse("")) { error in
            XCTAssertEqual(error as? ParseError, .empty)
          }
        }
      }
      ---
      class ParserTests: XCTestCase {
        func testGood() {
          do {
            let value = try parse("1")
            XCTAssertEqual(value, 1)
          } catch {
            XCTFail("\(error)")
          }
        }
      }
      ---
      class ParserTests: XCTestCase {
        func testEmpty() {
          var caught: (any Error)?
          do { _ = try parse("") } catch { caught = error }
          XCTAssertEqual(caught as? ParseError, .empty)
        }
      }
      """#)
}
