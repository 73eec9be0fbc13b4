// SPDX-License-Identifier: Apache-2.0

#if !Server
  #error("MainstayDashboard needs the trait Server: .package(url: …, traits: [\"Server\"])")
#endif
