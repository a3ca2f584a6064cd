"""Admin routes of the plugin."""

import json

from acapy_agent.messaging.responder import BaseResponder
from acapy_agent.transport.outbound.message import OutboundMessage
from aiohttp import web

from .received import received
from .sent import sent


async def send(request):
    """Sends any JSON as a message: {"connection_id", "message"}."""
    body = await request.json()
    message = body["message"]
    outbound = OutboundMessage(connection_id=body["connection_id"], payload=json.dumps(message))
    responder = request["context"].inject(BaseResponder)
    await responder.send_outbound(outbound, message_type=message.get("@type"), message_id=message.get("@id"))
    return web.json_response({})


def is_of(message, request):
    """The query's `type` is the end of the message's @type."""
    return str(message.get("@type")).endswith(request.query.get("type", ""))


async def tell_received(request):
    connection_id = request.query.get("connection_id")
    messages = [
        entry["message"]
        for entry in received
        if is_of(entry["message"], request) and connection_id in (None, entry["connection_id"])
    ]
    return web.json_response({"results": messages})


async def tell_sent(request):
    """Tag of the envelope to type of the message."""
    types = {tag: message.get("@type") for tag, message in sent.items() if is_of(message, request)}
    return web.json_response({"results": types})


async def register(app):
    app.add_routes(
        [
            web.post("/interop/send", send),
            web.get("/interop/received", tell_received, allow_head=False),
            web.get("/interop/sent", tell_sent, allow_head=False),
        ]
    )
