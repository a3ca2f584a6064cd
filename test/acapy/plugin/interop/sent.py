"""What was packed into an envelope, by the envelope's `tag`: so the suite can tell what the service rejected."""

import json

from acapy_agent.transport.pack_format import PackWireFormat

sent = {}


def keep_sent():
    encode = PackWireFormat.encode_message

    async def keeping(self, session, message_json, *keys):
        envelope = await encode(self, session, message_json, *keys)
        try:
            sent[json.loads(envelope)["tag"]] = json.loads(message_json)
        except (KeyError, ValueError):
            pass  # No envelope: a message without keys leaves as it is.
        return envelope

    PackWireFormat.encode_message = keeping
