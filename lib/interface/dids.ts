/** Contracts of DIDs: create and list the agent's own, resolve any. https://www.w3.org/TR/did-core/ */
import * as v from 'valibot'
import { DidDocument, DidRecord } from '../records/did.ts'
import { EntityId } from '../records/tenant.ts'
import { COMMAND, defineContract, listingOf, OPEN, QUERY } from './contract.ts'
import { exactly, MAX_IN_PATH, Paging } from './fields.ts'

const METHODS = ['key', 'jwk', 'peer', 'web', 'webvh'] as const
const KEY_TYPES = ['ed25519', 'p256', 'k256'] as const

/** The domain part of a DID: a host, a percent-encoded port, a path separated by colons. */
const DOMAIN =
  /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,253}[A-Za-z0-9])?(?:%3[Aa][1-9][0-9]{0,4})?(?::[A-Za-z0-9._-]{1,64}){0,8}$/

/** A port that would be a folder, since a colon separates parts of the path: https://w3c-ccg.github.io/did-method-web/ */
const PORT_AS_FOLDER = /^[^:%]+:[0-9]{1,5}(?::|$)/

/** CREDEBL sends empty strings for absent values. */
const orEmpty = <const S extends v.GenericSchema>(schema: S) => v.optional(v.union([v.literal(''), schema]))

/** A field of credo-controller for DIDs on ledgers. */
const OnLedger = v.optional(v.literal('', 'must be empty: DIDs on ledgers are not supported'))

const Seed = v.pipe(
  v.string(),
  v.check((seed) => Buffer.byteLength(seed) === 32, 'must have 32 characters, which are 32 bytes in UTF-8'),
)

const Domain = v.pipe(
  v.string(),
  v.regex(DOMAIN, 'must be a host as in a DID, such as example.org, example.org%3A8443 or example.org:path'),
  v.check((domain) => !PORT_AS_FOLDER.test(domain), 'must have %3A before its port, such as example.org%3A8443'),
)

export const CreateDid = /* @__PURE__ */ defineContract(() => ({
  ...COMMAND,
  operationId: 'CreateDid',
  path: '/dids/write',
  summary: 'Create a DID',
  description:
    'did:peer and did:web contain the DIDComm endpoint of the agent, so they can be the `invitationDid` of an invitation. The `numAlgo` of a did:peer is 2 by ' +
    'default, or 4. This service hosts did:web and did:webvh without `domain`, one of each for an agent; if it exists, it is returned. With `domain` the caller ' +
    'hosts them: the `didDocument` of a did:web as `did.json`, the `didLog` of a did:webvh as `did.jsonl`. `keyType` is `ed25519`; for did:key and did:jwk ' +
    'also `p256` or `k256`. With a `seed` the owner can create the same Ed25519 key again; the seed is not stored, and is not for did:webvh. This service ' +
    'creates no DIDs on ledgers.',
  holdsSecret: true,
  body: exactly({
    method: v.picklist(METHODS, `must be one of ${METHODS.join(', ')}: DIDs on ledgers are not supported`),
    keyType: v.optional(v.picklist(KEY_TYPES, `must be one of ${KEY_TYPES.join(', ')}`), 'ed25519'),
    seed: orEmpty(Seed),
    domain: orEmpty(Domain),
    numAlgo: v.optional(v.picklist([2, 4], 'must be 2 or 4')),
    network: OnLedger,
    did: OnLedger,
    role: OnLedger,
    endorserDid: OnLedger,
    privatekey: OnLedger,
    endpoint: OnLedger,
  }),
  responses: {
    200: v.looseObject({
      did: v.string(),
      didDocument: DidDocument,
      /** JSON Lines, of a did:webvh that the caller serves. */
      didLog: v.optional(v.string()),
    }),
  },
}))

export const GetDids = /* @__PURE__ */ defineContract(() => ({
  ...listingOf(Paging, DidRecord),
  operationId: 'GetDids',
  path: '/dids',
  summary: "List the DIDs of the token's agent",
  description:
    'The DIDs that were created by requests, and those that the agent issues with. The did:peer of a single invitation or connection is in its record.',
}))

/** Like `Did`, but in one regular expression. A did:peer:4 in its long form may be too long. */
const DID_IN_PATH = new RegExp(`^(?=.{1,${MAX_IN_PATH}}$)did:[a-z0-9]{1,32}:[A-Za-z0-9._:%-]+$`)
const DidInPath = v.pipe(v.string(), v.regex(DID_IN_PATH, 'must be a DID'))

const Metadata = v.record(v.string(), v.unknown())

const Anything = v.optional(v.unknown())
const List = v.nullish(v.array(v.unknown()))

/** As it was published. DID Core allows more than this agent reads, and other agents publish more than that. */
const PublishedDidDocument = v.looseObject({
  id: v.string(),
  ...{ '@context': Anything, alsoKnownAs: Anything, controller: Anything },
  ...{ capabilityInvocation: Anything, capabilityDelegation: Anything },
  ...{ verificationMethod: List, authentication: List, assertionMethod: List, keyAgreement: List, service: List },
})

export const ResolveDid = /* @__PURE__ */ defineContract(() => ({
  ...QUERY,
  operationId: 'ResolveDid',
  path: '/dids/{did+}',
  summary: 'Resolve any DID',
  description:
    'The result is not stored, and the document is returned as it was published. 404: the document is not found, a did:key, did:jwk or did:webvh is malformed, or a key of a did:peer is. 503: the host of the document, which `message` names, does not respond. 422: any other DID is malformed, its method is not ' +
    'supported, or its document cannot be read: `details` names the member. `didResolutionMetadata` in `details` has the error and its reason. The DID may be in the path unchanged or percent-encoded; a DID that is longer than API Gateway accepts is a 400.',
  parameters: { path: v.object({ did: DidInPath }) },
  responses: {
    200: v.looseObject({
      didDocument: PublishedDidDocument,
      didDocumentMetadata: Metadata,
      didResolutionMetadata: Metadata,
    }),
  },
  errorStatuses: [404, 422],
}))

export const GetWebDidDocument = /* @__PURE__ */ defineContract(() => ({
  ...OPEN,
  operationId: 'GetWebDidDocument',
  path: '/web/{tenantId}/did.json',
  summary: "Get the document of an agent's did:web",
  description: 'For resolvers. `base` is the base agent.',
  parameters: { path: v.object({ tenantId: EntityId }) },
  contentType: 'application/json',
  responses: { 200: DidDocument },
}))
