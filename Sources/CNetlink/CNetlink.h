// SPDX-License-Identifier: Apache-2.0
// The kernel's link notices: the calls whose structures Swift does not see. What is received is
// read in Swift, byte by byte, since the kernel's macros trust what they read.

#ifndef MAINSTAY_CNETLINK_H
#define MAINSTAY_CNETLINK_H

#if defined(__linux__)

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

/// Opens a socket that hears of links, addresses and routes; -1 where the system refuses it.
///
/// `receive_buffer` is the size of the kernel's queue in bytes; 0 for what the system gives.
static inline int mainstay_netlink_open(int receive_buffer) {
  int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  if (fd < 0) return -1;
  if (receive_buffer > 0)
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  struct sockaddr_nl address;
  memset(&address, 0, sizeof address);
  address.nl_family = AF_NETLINK;
  address.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE |
                      RTMGRP_IPV6_ROUTE;
  if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0) {
    int reason = errno;
    close(fd);
    errno = reason;
    return -1;
  }
  return fd;
}

/// Asks for all links, addresses or routes: `type` is RTM_GETLINK, RTM_GETADDR or RTM_GETROUTE.
/// Returns 0, or the error number.
static inline int mainstay_netlink_ask(int fd, uint16_t type, uint32_t sequence) {
  struct {
    struct nlmsghdr header;
    struct rtgenmsg body;
  } request;
  memset(&request, 0, sizeof request);
  request.header.nlmsg_len = NLMSG_LENGTH(sizeof request.body);
  request.header.nlmsg_type = type;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.header.nlmsg_seq = sequence;
  request.body.rtgen_family = AF_UNSPEC;
  struct sockaddr_nl kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.nl_family = AF_NETLINK;
  ssize_t sent;
  do {
    sent = sendto(fd, &request, request.header.nlmsg_len, 0, (struct sockaddr *)&kernel,
                  sizeof kernel);
  } while (sent < 0 && errno == EINTR);
  return sent < 0 ? errno : 0;
}

/// Receives one datagram. Returns its length, which is more than `capacity` where it was cut, 0
/// where it did not come from the kernel, or the negated error number. `is_notice` becomes 1 where
/// it was sent to all who listen: then its number is that of whoever caused it, and not an answer.
static inline long mainstay_netlink_receive(int fd, void *bytes, size_t capacity, int *is_notice) {
  struct sockaddr_nl sender;
  memset(&sender, 0, sizeof sender);
  socklen_t length = sizeof sender;
  ssize_t received;
  do {
    received =
        recvfrom(fd, bytes, capacity, MSG_TRUNC, (struct sockaddr *)&sender, &length);
  } while (received < 0 && errno == EINTR);
  if (received < 0) return -(long)errno;
  *is_notice = sender.nl_groups != 0;
  // Other processes may write to the socket too.
  return sender.nl_pid == 0 ? (long)received : 0;
}

/// Makes the file that wakes a thread which waits for notices; -1 where there is none left.
static inline int mainstay_wake_open(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

#endif
#endif
