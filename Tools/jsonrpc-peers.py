# SPDX-License-Identifier: Apache-2.0
# Servers of JSON-RPC that others wrote: json-rpc behind aiohttp and behind websockets. It prints
# the ports, HTTP first, and ends with its standard input.
import asyncio
import json
import sys

from aiohttp import web
from jsonrpc import Dispatcher, JSONRPCResponseManager
from jsonrpc.exceptions import JSONRPCDispatchException
from websockets.asyncio.server import serve

methods = Dispatcher()


@methods.add_method
def echo(*positional, **named):
    return list(positional) or named


@methods.add_method
def subtract(minuend, subtrahend):
    return minuend - subtrahend


@methods.add_method
def double(number):
    return 2 * number


@methods.add_method
def fail():
    raise JSONRPCDispatchException(3122, "The fee is too small", {"minimumRequiredFee": 2**64 + 1})


@methods.add_method
def crash():
    raise ValueError("inside")


def answer(text):
    return JSONRPCResponseManager.handle(text, methods)


async def post(request):
    response = answer(await request.text())
    if response is None:
        return web.Response(status=204)
    # As Ogmios does it: each error of JSON-RPC is a 400.
    has_failed = "error" in response.data
    return web.Response(
        text=response.json, status=400 if has_failed else 200, content_type="application/json"
    )


async def problem(request):
    document = {
        "type": "https://example.com/problems/no-credit",
        "title": "Not enough credit",
        "detail": "The balance is 30, and it costs 50.",
        "balance": 30,
    }
    return web.Response(
        text=json.dumps(document), status=403, content_type="application/problem+json"
    )


async def talk(socket):
    if socket.request.path == "/push":
        await socket.send('{"jsonrpc":"2.0","method":"hello","params":{"first":true}}')
    async for text in socket:
        if '"leave"' in text:
            await socket.close(1012, "restarting")
            return
        response = answer(text)
        if response is not None:
            await socket.send(response.json)


async def main():
    app = web.Application()
    app.add_routes([web.post("/", post), web.post("/problem", problem)])
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    async with serve(talk, "127.0.0.1", 0, open_timeout=None, ping_interval=None) as sockets:
        http = site._server.sockets[0].getsockname()[1]
        print(http, sockets.sockets[0].getsockname()[1], flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await runner.cleanup()


asyncio.run(main())
