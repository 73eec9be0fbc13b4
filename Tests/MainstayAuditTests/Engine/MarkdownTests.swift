// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import Testing

@Suite struct MarkdownTests {
  private func found(_ page: String, path: String = "Guide.md") async -> [String] {
    await Audit().run([AuditSource(path: path, text: page)]).findings.map {
      "\($0.line):\($0.column) \($0.rule)"
    }
  }

  @Test func `code in fences is looked at, at the lines of the page`() async {
    let page = """
      # Saving

      Never `do {} catch {}`:

      ```swift
      do { try save() } catch {}
      ```

      ```
      do { try save() } catch {}
      ```

      1. Nor so:

         ~~~Swift
         do { try save() } catch {}
         ~~~

      ````swift
      // ```
      do { try save() } catch {}
      """
    #expect(await found(page) == ["6:19 MS201", "16:22 MS201", "21:19 MS201"])
  }

  @Test func `an example that does not parse spoils no other`() async {
    let page = """
      ```swift
      func f() {
      ```
      ```swift
      do { try save(…) } catch {}
      ```
      """
    let found = await found(page)
    #expect(found.count == 2 && found.last == "5:22 MS201")
    #expect(found.first?.hasSuffix("MS005") ?? false)
  }

  @Test func `an example for later compilers is looked at, and is no trouble`() async {
    let page = """
      ```swift
      #if compiler(>=6.4)
      let = 1
      #endif
      do { try save() } catch {}
      ```
      """
    #expect(await found(page) == ["5:19 MS201"])
  }

  @Test func `a page without code has nothing`() async {
    #expect(await found("") == [])
    #expect(await found("```") == [])
    #expect(await found("do { try save() } catch {}") == [])
  }
}
