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


async def tell_received(_request):
    return web.json_response({"results": received})


async def tell_sent(_request):
    return web.json_response({"results": sent})


async def register(app):
    app.add_routes(
        [
            web.post("/interop/send", send),
            web.get("/interop/received", tell_received, allow_head=False),
            web.get("/interop/sent", tell_sent, allow_head=False),
        ]
    )
