"""A wallet without an endpoint: it asks for return route (Aries RFC 0092) and takes what an HTTP response holds as inbound."""

import json

from acapy_agent.transport.outbound.http import HttpTransport
from acapy_agent.transport.pack_format import PackWireFormat


def use_return_route(settings, endpoint):
    """ACA-Py has no outbound return route of its own. An empty endpoint: its DID documents have no service."""
    settings.set_value("default_endpoint", endpoint or None)
    (_, host, port), *_ = settings["transport.inbound_configs"]
    encode = PackWireFormat.encode_message

    async def asking(self, session, message_json, *keys):
        message = {**json.loads(message_json), "~transport": {"return_route": "all"}}
        return await encode(self, session, json.dumps(message), *keys)

    async def post(self, profile, payload, endpoint, metadata=None, api_key=None):
        headers = {"content-type": "application/ssi-agent-wire"}
        async with self.client_session.post(endpoint, data=payload, headers=headers) as response:
            response.raise_for_status()
            answer = await response.read()
        if answer:
            async with self.client_session.post(f"http://{host}:{port}", data=answer, headers=headers) as own:
                own.raise_for_status()

    PackWireFormat.encode_message = asking
    HttpTransport.handle_message = post
