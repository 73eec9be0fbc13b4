// SPDX-License-Identifier: Apache-2.0

#if !HTTPClient
  #error(
    "MainstayHTTPTesting needs the trait HTTPClient: .package(url: …, traits: [\"HTTPClient\"])"
  )
#endif
