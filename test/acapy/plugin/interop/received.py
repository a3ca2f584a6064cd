"""A log of every message that was decrypted, in the order of arrival. ACA-Py itself keeps no basic messages and no problem reports."""

from acapy_agent.core.dispatcher import Dispatcher

# {"connection_id": None where no connection was found, "message"}
received = []


def keep_received():
    handle = Dispatcher.handle_v1_message

    async def keeping(self, profile, inbound_message, send_outbound):
        entry = {"connection_id": None, "message": inbound_message.payload}
        received.append(entry)
        try:
            return await handle(self, profile, inbound_message, send_outbound)
        finally:
            entry["connection_id"] = inbound_message.connection_id

    Dispatcher.handle_v1_message = keeping
