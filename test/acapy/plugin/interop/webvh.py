"""AnonCreds objects of did:webvh: what a DID attests is read by plain GETs, and checked with the did-webvh package."""

import re
import time
from hashlib import sha256

import aiohttp
import jsoncanon
from acapy_agent.anoncreds.base import AnonCredsObjectNotFound, AnonCredsResolutionError, BaseAnonCredsResolver
from acapy_agent.anoncreds.models import schema_info
from acapy_agent.anoncreds.models.credential_definition import CredDef, GetCredDefResult
from acapy_agent.anoncreds.models.revocation import GetRevListResult, GetRevRegDefResult, RevList, RevRegDef
from acapy_agent.anoncreds.models.schema import AnonCredsSchema, GetSchemaResult
from did_webvh.core.file_utils import read_url
from did_webvh.core.proof import di_jcs_verify
from did_webvh.core.resolver import DidResolver
from did_webvh.domain_path import DomainPath
from did_webvh.history import WebvhHistoryResolver, did_base_url
from did_webvh.verify import WebvhVerifier
from multiformats import multibase

# ACA-Py 1.2 spells it otherwise.
SchemaInfo = getattr(schema_info, "AnonCredsSchemaInfo", None) or schema_info.AnoncredsSchemaInfo

# Multihash: SHA-256, of 32 bytes.
MULTIHASH = bytes([0x12, 0x20])

STATUS_LIST = "anonCredsStatusList"


def allow_localhost():
    """The package takes no host of one label; the suite's service is on this machine."""
    validate = DomainPath.validate

    def validating(self):
        if self.domain != "localhost":
            validate(self)

    DomainPath.validate = validating


def address_of(did):
    return did_base_url(did, files=True).replace("https://localhost:", "http://localhost:")


class LogOfThisMachine(WebvhHistoryResolver):
    """Without TLS. Witnesses are not asked for: the service has none."""

    def resolve_entry_log(self, document_id):
        return read_url(address_of(document_id) + "did.jsonl")


async def resolve_did(did):
    """The DID document, after the log's hashes and signatures are checked."""
    result = await DidResolver(WebvhVerifier()).resolve(did, LogOfThisMachine())
    if not result.document:
        raise AnonCredsResolutionError(f"{did} does not resolve: {result.serialize()}")
    return result.document


def check_name(resource):
    """A resource's name is the hash of its content."""
    digest = MULTIHASH + sha256(jsoncanon.canonicalize(resource["content"])).digest()
    if resource["id"].rsplit("/", 1)[1] != multibase.encode(digest, "base58btc"):
        raise AnonCredsResolutionError(f"{resource['id']} is not the hash of its content")


async def check_proof(resource, did):
    """The attestation is by a key that the resource's own DID asserts with."""
    proof = resource["proof"]
    document = await resolve_did(did)
    asserting = [method if isinstance(method, str) else method["id"] for method in document["assertionMethod"]]
    wanted = proof["verificationMethod"]
    if wanted not in [name if not name.startswith("#") else did + name for name in asserting]:
        raise AnonCredsResolutionError(f"{wanted} is no assertion method of {did}")
    [method] = [one for one in document["verificationMethod"] if one["id"] in (wanted, wanted.removeprefix(did))]
    di_jcs_verify(resource, proof, method)


async def read(identifier):
    """The resource of an id, checked."""
    did, _, path = identifier.partition("/")
    async with aiohttp.ClientSession() as session, session.get(address_of(did) + path) as response:
        if response.status == 404:
            raise AnonCredsObjectNotFound(f"there is no {identifier}")
        response.raise_for_status()
        resource = await response.json(content_type="application/json")
    if resource["id"] != identifier:
        raise AnonCredsResolutionError(f"{identifier} has another id")
    check_name(resource)
    await check_proof(resource, did)
    if resource["content"].get("issuerId") != did:
        raise AnonCredsResolutionError(f"{identifier} is of another issuer")
    return resource


class WebvhResolver(BaseAnonCredsResolver):
    @property
    def supported_identifiers_regex(self):
        return re.compile(r"^did:webvh:")

    async def setup(self, context):
        """There is nothing to set up."""

    async def get_schema(self, profile, schema_id):
        content = (await read(schema_id))["content"]
        return GetSchemaResult(AnonCredsSchema.deserialize(content), schema_id, {}, {})

    async def get_schema_info_by_id(self, profile, schema_id):
        content = (await read(schema_id))["content"]
        return SchemaInfo(content["issuerId"], content["name"], content["version"])

    async def get_credential_definition(self, profile, credential_definition_id):
        content = (await read(credential_definition_id))["content"]
        return GetCredDefResult(credential_definition_id, CredDef.deserialize(content), {}, {})

    async def get_revocation_registry_definition(self, profile, revocation_registry_id):
        content = (await read(revocation_registry_id))["content"]
        return GetRevRegDefResult(RevRegDef.deserialize(content), revocation_registry_id, {}, {})

    async def get_revocation_list(self, profile, revocation_registry_id, timestamp_from=0, timestamp_to=None):
        """The list that is in force at `timestamp_to`, however old it is."""
        until = timestamp_to or int(time.time())
        links = (await read(revocation_registry_id)).get("links", [])
        past = [link for link in links if link["type"] == STATUS_LIST and link["timestamp"] <= until]
        if not past:
            raise AnonCredsObjectNotFound(f"{revocation_registry_id} has no status list of {until}")
        link = max(past, key=lambda one: one["timestamp"])
        content = (await read(link["id"]))["content"]
        if content["revRegDefId"] != revocation_registry_id or content["timestamp"] != link["timestamp"]:
            raise AnonCredsResolutionError(f"{link['id']} is not the list that its link says")
        return GetRevListResult(RevList.deserialize(content), {}, {})
