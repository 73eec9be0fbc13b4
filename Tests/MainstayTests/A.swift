import Testing
import TestSupport
@Suite struct ATests {
  @Test(.requirement("A22")) func `hello there`() {}
}
