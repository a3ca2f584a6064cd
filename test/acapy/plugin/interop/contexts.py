"""JSON-LD contexts out of a file: the suite has no network to load them from."""

import json

from acapy_agent.vc.ld_proofs.document_downloader import StaticCacheJsonLdDownloader


def serve_contexts(path):
    """The file holds an object of address to document."""
    with open(path, encoding="utf-8") as file:
        contexts = json.load(file)
    load = StaticCacheJsonLdDownloader.load

    def serving(self, url, options=None):
        if url not in contexts:
            return load(self, url, options)
        return {
            "contentType": "application/ld+json",
            "contextUrl": None,
            "documentUrl": url,
            "document": contexts[url],
        }

    StaticCacheJsonLdDownloader.load = serving
