"""A plugin of ACA-Py with what the interop suite needs beyond the admin API; its parts are turned on by environment variables."""

import os
import sys
import threading

from acapy_agent.anoncreds.registry import AnonCredsRegistry

from .contexts import serve_contexts
from .indy_proxy import use_indy_proxy
from .received import keep_received
from .return_route import use_return_route
from .sent import keep_sent
from .webvh import WebvhResolver, allow_localhost


def end_with_the_suite():
    """Standard input is a pipe of the suite: it is closed when the suite ends, however that happens."""
    sys.stdin.buffer.read()
    os._exit(0)


async def setup(context):
    threading.Thread(target=end_with_the_suite, daemon=True).start()
    keep_received()
    keep_sent()
    allow_localhost()
    context.inject(AnonCredsRegistry).register(WebvhResolver())
    if address := os.environ.get("INTEROP_INDY_PROXY"):
        use_indy_proxy(address)
    if path := os.environ.get("INTEROP_CONTEXTS"):
        serve_contexts(path)
    if (endpoint := os.environ.get("INTEROP_RETURN_ROUTE")) is not None:
        use_return_route(context.settings, endpoint)
