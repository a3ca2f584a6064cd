/**
 * Reads attested resources with all checks: this service's own from the table and the running unit of work, others
 * through the guarded client.
 */
import {
  type AgentContext,
  CredoError,
  type DidDocument,
  getPublicJwkFromVerificationMethod,
  Kms,
} from '@credo-ts/core'
import { Bounded } from '../../bounded.ts'
import { currentUnit } from '../../store/transaction.ts'
import { type AttestedResource, contentHash, readResource, signatureOf } from '../../webvh/attested-resource.ts'
import { parseResourceId, type ResourceId, urlOfResource } from '../../webvh/did.ts'
import { readWebvhResource } from '../../webvh/published.ts'
import { assertNoRollback } from '../../webvh/seen-versions.ts'
import { isKeyRevokedOrExpired, isProofExpired, readText } from '../web/index.ts'
import { hostOf, resolveWebvh } from './resolver.ts'

/**
 * Maximum size in bytes of one resource, and of all resources that a message makes this agent read. A registry with
 * 5,000 published lists would have 1.2 MB of links. /
 */
const MAX_BYTES = 1024 * 1024

/** Maximum length in characters of a cached immutable resource: the cache holds 100. */
const MAX_CACHED_LENGTH = 100_000
const cachedTexts = new Bounded<string, string>(100)

/** `growing`: links may have been added since it was read. */
export type Freshness = 'immutable' | 'growing'

/**
 * Remote resources that the running unit of work has read, by freshness and id: a registry is needed for itself and for
 * each of its lists.
 */
const READ = Symbol('remote resources')

/** A resource and the DID that attests it. Throws if it does not exist or does not match its id. */
export const readAttested = async (
  agentContext: AgentContext,
  id: string,
  freshness: Freshness,
): Promise<{ resource: AttestedResource; issuerId: string }> => {
  const parsed = parseResourceId(id)
  if (parsed === undefined) throw new CredoError('it is not the id of a resource of a did:webvh')
  const issuerId = parsed.issuer.did
  const tenant = await hostOf(parsed.issuer)
  const resource =
    tenant === undefined
      ? await readOnce(`${freshness} ${id}`, () => readRemote(agentContext, parsed, freshness))
      : readOwn(await readWebvhResource(currentUnit(), tenant, parsed.name), id)
  return { resource, issuerId }
}

const readOnce = (key: string, read: () => Promise<AttestedResource>): Promise<AttestedResource> => {
  const resources = currentUnit().moduleState(READ, () => new Map<string, Promise<AttestedResource>>())
  const resource = resources.get(key) ?? read()
  resources.set(key, resource)
  return resource
}

const readOwn = (published: { document: string } | undefined, id: string): AttestedResource => {
  const resource = published && readResource(published.document)
  // Found by its name alone, so the whole id must be compared.
  if (resource?.id !== id) throw new CredoError('there is no such resource')
  return resource
}

const readRemote = async (
  agentContext: AgentContext,
  parsed: ResourceId,
  freshness: Freshness,
): Promise<AttestedResource> => {
  const { id, issuer, name } = parsed
  // Before the resource: if a message names too many objects, those that were read are verified and cached.
  const { didDocument } = await resolveWebvh(issuer)
  const known = freshness === 'immutable' ? cachedTexts.get(id) : undefined
  const text = known ?? (await readText(urlOfResource(parsed), { accept: 'application/json', maxBytes: MAX_BYTES }))
  const resource = readResource(text)
  if (resource === undefined) throw new CredoError('it is not an attested resource')
  if (resource.id !== id) throw new CredoError('it has another id')
  if (contentHash(resource.content) !== name) throw new CredoError('its content does not match its id')
  // Verified at each use, because the DID may no longer have the key.
  await verify(agentContext, resource, didDocument)
  if (freshness === 'growing') await assertNoRollback(currentUnit(), id, versionsOf(resource))
  if (freshness === 'immutable' && text.length <= MAX_CACHED_LENGTH) cachedTexts.set(id, text)
  return resource
}

/** Versions of a resource by its links, which are only added. */
const versionsOf = ({ links }: AttestedResource): string[] =>
  (links ?? [])
    .toSorted((a, b) => (a.timestamp ?? 0) - (b.timestamp ?? 0))
    .map(({ id, timestamp }) => `${timestamp} ${id}`)

/**
 * A DID's key for assertions. Throws for a key of another DID or purpose, and for one that is revoked or has expired.
 */
const assertionKey = (didDocument: DidDocument, id: string): Kms.PublicJwk => {
  if (!id.startsWith(`${didDocument.id}#`)) throw new CredoError('it is attested by another DID')
  const method = didDocument.dereferenceKey(id, ['assertionMethod'])
  if (isKeyRevokedOrExpired(method)) throw new CredoError("the attestation's key is revoked or has expired")
  return getPublicJwkFromVerificationMethod(method)
}

const verify = async (
  agentContext: AgentContext,
  resource: AttestedResource,
  didDocument: DidDocument,
): Promise<void> => {
  const key = assertionKey(didDocument, resource.proof.verificationMethod)
  if (!key.is(Kms.Ed25519PublicJwk)) throw new CredoError("the attestation's key is not an Ed25519 key")
  if (isProofExpired(resource.proof)) throw new CredoError('its proof has expired')
  const { data, signature } = signatureOf(resource)
  const kms = agentContext.resolve(Kms.KeyManagementApi)
  const { verified } = await kms.verify({ key: { publicJwk: key.toJson() }, algorithm: 'EdDSA', data, signature })
  if (!verified) throw new CredoError('its proof is not valid')
}
