# SPDX-License-Identifier: Apache-2.0
# A client that others wrote: jsonrpcclient over httpx and over websockets. It does what its first
# argument says and prints one JSON document of what it saw.
#
#   calls ADDRESS [AUTHORITY]    calls, errors, a notification and a batch
#   problem ADDRESS [AUTHORITY]  a request that is refused with problem details
#   ogmios ADDRESS [AUTHORITY]   questions to Ogmios
#
# An address with ws or wss goes over a WebSocket. The authority is a file of certificates in PEM;
# nobody else is trusted.
import asyncio
import json
import ssl
import sys

import httpx
import websockets
from jsonrpcclient import Error, Ok, notification, parse, request


class OverHTTP:
    """Each message is a POST of its own."""

    def __init__(self, address, context):
        self.address = address
        self.client = httpx.AsyncClient(
            http2=True, timeout=600, trust_env=False, verify=context or True
        )
        self.statuses = []
        self.versions = set()

    async def __aenter__(self):
        return self

    async def __aexit__(self, *error):
        await self.client.aclose()

    async def exchange(self, message, answered=True):
        response = await self.client.post(self.address, json=message)
        self.statuses.append(response.status_code)
        self.versions.add(response.http_version)
        return response.json() if answered else response.text


class OverWebSocket:
    """All messages go over one connection."""

    def __init__(self, address, context):
        self.connecting = websockets.connect(
            address, ssl=context, proxy=None, open_timeout=None, close_timeout=None,
            ping_interval=None,
        )

    async def __aenter__(self):
        self.socket = await self.connecting
        return self

    async def __aexit__(self, *error):
        await self.socket.close()

    async def exchange(self, message, answered=True):
        await self.socket.send(json.dumps(message))
        return json.loads(await self.socket.recv()) if answered else ""


def told(answer):
    """An answer as jsonrpcclient reads it, or all answers of a batch."""
    if isinstance(answer, list):
        return [told(one) for one in answer]
    match parse(answer):
        case Ok(result, id):
            return {"id": id, "result": result}
        case Error(code, message, data, id):
            return {"id": id, "code": code, "message": message, "data": data}


def message(method, params=None, id=None):
    # By name, or by position.
    if isinstance(params, list):
        params = tuple(params)
    return request(method, params, id=id) if id is not None else request(method, params)


async def calls(link):
    seen = {}
    difference = {"minuend": 9, "subtrahend": 4}
    seen["named"] = told(await link.exchange(message("subtract", difference, "a")))
    seen["large"] = told(await link.exchange(message("echo", [2**64 + 1, "ä"], 1)))
    seen["failed"] = told(await link.exchange(message("fail", id=2)))
    seen["unknown"] = told(await link.exchange(message("nothing", id=3)))
    seen["silence"] = await link.exchange(notification("echo", (1,)), answered=False)
    seen["after"] = told(await link.exchange(message("echo", [2], 4)))
    batch = [message("echo", [1], 5), notification("echo", (2,)), message("fail", id=6)]
    seen["batch"] = sorted(told(await link.exchange(batch)), key=lambda one: one["id"])
    return seen


async def ogmios(link):
    seen = {}
    seen["tip"] = told(await link.exchange(message("queryNetwork/tip", id="tip")))
    seen["epoch"] = told(await link.exchange(message("queryLedgerState/epoch", id=2)))
    seen["failed"] = told(await link.exchange(message("queryLedgerState/epoch", id=3)))
    transaction = {"transaction": {"cbor": "84a0"}}
    seen["sent"] = told(await link.exchange(message("submitTransaction", transaction, 4)))
    seen["again"] = told(await link.exchange(message("submitTransaction", transaction, 5)))
    seen["unknown"] = told(await link.exchange(message("nothing", id=6)))
    batch = [message("queryNetwork/tip", id=7)]
    seen["batch"] = await link.exchange(batch)
    if isinstance(link, OverWebSocket):
        # Several at once, answered in any order.
        for id in ["x", "y", "z"]:
            await link.socket.send(json.dumps(message("queryNetwork/blockHeight", id=id)))
        answers = [told(json.loads(await link.socket.recv())) for _ in range(3)]
        seen["heights"] = {one["id"]: one["result"] for one in answers}
    else:
        health = await link.client.get(link.address + "/health")
        seen["health"] = [health.status_code, health.json()["connectionStatus"]]
    return seen


async def problem(link):
    response = await link.client.post(link.address, json={"title": ""})
    document = response.json()
    known = {"type", "title", "status", "detail", "instance"}
    return {
        "status": response.status_code,
        "type": response.headers["content-type"],
        "retryAfter": response.headers.get("retry-after"),
        "known": {name: value for name, value in document.items() if name in known},
        "extensions": {name: value for name, value in document.items() if name not in known},
        "hasFailed": response.is_client_error,
    }


async def main():
    what, address, *authority = sys.argv[1:]
    context = ssl.create_default_context(cafile=authority[0]) if authority else None
    link = OverWebSocket if address.startswith("ws") else OverHTTP
    async with link(address, context) as link:
        seen = await {"calls": calls, "ogmios": ogmios, "problem": problem}[what](link)
        if isinstance(link, OverHTTP):
            seen["statuses"] = link.statuses
            seen["versions"] = sorted(link.versions)
    print(json.dumps(seen))


asyncio.run(main())
