// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import MainstayUI
import TestSupport
import Testing

@MainActor @Suite(.ends(withinMinutes: 5)) struct FormPropertyTests {
  private enum Edit: Sendable {
    case name(String), email(String), age(Int?), password(String), confirmation(String)

    static func random(_ field: Int, _ random: inout SeededGenerator) -> Edit {
      func text(_ texts: [String]) -> String { texts.randomElement(using: &random) ?? "" }
      switch field {
      case 0: return .name(text(["", " ", "Ada", "👩‍👩‍👧‍👦"]))
      case 1: return .email(text(["", "ada", "ada@example.com", "a@b"]))
      case 2: return .age([nil, 0, 12, 13, 99].randomElement(using: &random) ?? nil)
      case 3: return .password(text(["", "short", "long enough", "also long enough"]))
      default: return .confirmation(text(["", "short", "long enough", "also long enough"]))
      }
    }

    @MainActor func apply(to form: FormModel<SignUp>) {
      switch self {
      case .name(let text): form.set(SignUp.name, text)
      case .email(let text): form.set(SignUp.email, text)
      case .age(let age): form.set(SignUp.age, age)
      case .password(let text): form.set(SignUp.password, text)
      case .confirmation(let text): form.set(SignUp.confirmation, text)
      }
    }
  }

  private func verdicts(_ form: FormModel<SignUp>) -> [FormFieldVerdict] {
    [
      form.verdict(of: SignUp.name), form.verdict(of: SignUp.email), form.verdict(of: SignUp.age),
      form.verdict(of: SignUp.password), form.verdict(of: SignUp.confirmation),
    ]
  }

  @Test(.requirement("E25", "E27"))
  func `validity never depends on the order in which different fields are edited`() {
    for seed in 0..<UInt64(RandomDose.cases) {
      var random = SeededGenerator(seed: seed)
      // Some edits of the past, and then one of each field, in two orders.
      let past = (0..<Int.random(in: 0...10, using: &random)).map { _ in
        Edit.random(Int.random(in: 0..<5, using: &random), &random)
      }
      let last = (0..<5).map { Edit.random($0, &random) }
      let forms = [
        FormModel(SignUp(), fields: SignUp.fields), FormModel(.filled, fields: SignUp.fields),
      ]
      for edit in past { edit.apply(to: forms[0]) }
      for edit in last { edit.apply(to: forms[0]) }
      for edit in last.shuffled(using: &random) { edit.apply(to: forms[1]) }
      #expect(forms[0].values == forms[1].values, "seed \(seed)")
      #expect(verdicts(forms[0]) == verdicts(forms[1]), "seed \(seed)")
      // The same as whoever looks at the values alone says.
      let errors = SignUp.fields.errors(in: forms[0].values)
      #expect(forms[0].isValid == errors.isEmpty && forms[1].isValid == errors.isEmpty)
      #expect(forms[0].firstInvalidField == errors.first?.field, "seed \(seed)")
    }
  }

  @Test(.requirement("E25", "E26"))
  func `an untouched field never shows an error before the form was sent`() {
    for seed in 0..<UInt64(RandomDose.cases) {
      var random = SeededGenerator(seed: seed)
      let form = FormModel(SignUp(), fields: SignUp.fields)
      var left: Set<JSONPointer> = []
      for _ in 0..<30 {
        if Int.random(in: 0..<4, using: &random) == 0 {
          let pointer = SignUp.fields.pointers.randomElement(using: &random)
          if let focus = form.focus, focus != pointer { left.insert(focus) }
          form.focus = pointer
        } else {
          Edit.random(Int.random(in: 0..<5, using: &random), &random).apply(to: form)
        }
        let shown = form.summary?.lines.map(\.field) ?? []
        #expect(left.isSuperset(of: shown), "seed \(seed)")
        // All of what is wrong and may show does, in order, and nothing else.
        let wrong = SignUp.fields.errors(in: form.values)
          .filter { $0.code != "form.empty" }.compactMap(\.field)
        #expect(shown == wrong.filter(left.contains), "seed \(seed)")
      }
    }
  }

  @Test(.requirement("T19"))
  func `what a service says about a value shows only while that value stands there`() async {
    for seed in 0..<UInt64(RandomDose.cases / 5) {
      var random = SeededGenerator(seed: seed)
      let service = NameService()
      let field = FormField<Account, String>(
        "name", \.name, label: "Name",
        rules: [
          .ask("It is taken.", after: .zero) { name, _ in
            if try await service.isFree(name) { return true }
            throw AppError.validation("\(name) is taken.")
          }
        ])
      let form = FormModel(
        Account(), fields: FormFields { field }, showing: .edited, clock: ManualClock())
      var asked = 0
      var open: [Int] = []
      func check() {
        let words = form.error(for: field)?.message.description
        #expect(words == nil || words == "\(form.values.name) is taken.", "seed \(seed)")
      }
      for number in 1...Int.random(in: 2...8, using: &random) {
        form.set(field, "\(number)")
        asked += 1
        open.append(asked)
        _ = await service.asked(asked)
        // Some of those that were asked answer, in any order; the newest only at the end.
        while let late = open.dropLast().randomElement(using: &random), Bool.random(using: &random)
        {
          open.removeAll { $0 == late }
          await service.answer(late, .success(Bool.random(using: &random)))
          check()
        }
        check()
      }
      let newest = open.removeLast()
      let isFree = Bool.random(using: &random)
      for late in open.shuffled(using: &random) { await service.answer(late, .success(!isFree)) }
      await service.ended.lines(atLeast: asked - 1)
      #expect(form.verdict(of: field) == .checking, "seed \(seed)")
      await service.answer(newest, .success(isFree))
      let submitted = await form.submit { $0.name }
      #expect((submitted != nil) == isFree, "seed \(seed)")
      #expect(form.verdict(of: field) == (isFree ? .valid : .invalid), "seed \(seed)")
      check()
    }
  }

  @Test func `an edit of one of a thousand fields costs the rules that it touches`() async {
    struct Table: Sendable {
      var cells = Array(repeating: "x", count: 1_000)
    }
    let calls = Locked(0)
    func cell(_ index: Int, dependingOn others: [JSONPointer] = []) -> FormField<Table, String> {
      FormField(
        JSONPointer(tokens: ["cells", "\(index)"]), label: "Cell",
        rules: [
          .required,
          .check("It differs.", dependingOn: others) { value, _ in
            calls.withLock { $0 += 1 }
            return value == "x"
          },
        ], get: { $0.cells[index] }, set: { $0.cells[index] = $1 })
    }
    let first = cell(0)
    let others = (1..<1_000).map { cell($0, dependingOn: $0 <= 3 ? [first.pointer] : []) }
    let form = FormModel(
      Table(),
      fields: FormFields {
        first
        for other in others { other }
      })
    #expect(calls.withLock { $0 } == 1_000)
    form.set(others[500], "y")
    #expect(calls.withLock { $0 } == 1_001)
    form.set(first, "y")
    #expect(calls.withLock { $0 } == 1_005, "its own and those of three that depend on it")
    form.set(first, "y")
    form.leave(first)
    form.focus = others[7].pointer
    _ = (form.isValid, form.summary, form.firstInvalidField)
    await form.submit { _ in }
    #expect(calls.withLock { $0 } == 1_005, "nothing else runs a rule")
    #expect(form.summary?.lines.count == 2)
  }
}
