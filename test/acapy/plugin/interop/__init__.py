"""A plugin of ACA-Py with what the interop suite needs beyond the admin API; its parts are turned on by environment variables."""

import os
import sys
import threading

from .contexts import serve_contexts
from .received import keep_received
from .return_route import use_return_route


def end_with_the_suite():
    """Standard input is a pipe of the suite: it is closed when the suite ends, however that happens."""
    sys.stdin.buffer.read()
    os._exit(0)


async def setup(context):
    threading.Thread(target=end_with_the_suite, daemon=True).start()
    keep_received()
    if path := os.environ.get("INTEROP_CONTEXTS"):
        serve_contexts(path)
    if os.environ.get("INTEROP_RETURN_ROUTE") == "true":
        use_return_route(context.settings)
