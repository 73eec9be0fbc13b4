// SPDX-License-Identifier: Apache-2.0

#if !HTTPClient
  #error(
    "MainstayJSONRPC needs the trait HTTPClient: .package(url: …, traits: [\"HTTPClient\"])"
  )
#endif
