/**
 * Resolves did:webvh: this service's own from the table and the running unit of work, others through the guarded
 * client, without a cache.
 */
import { type AgentContext, CredoError, type DidResolver, Kms } from '@credo-ts/core'
import { currentUnit } from '../../store/transaction.ts'
import { isOurLocation, parseWebvhDid, possibleTenantOf, urlOfFile, type WebvhDid } from '../../webvh/did.ts'
import {
  documentOf,
  LogTooLongError,
  MAX_LOG_BYTES,
  needsWitnessProofs,
  parseLog,
  parseWitnessProofs,
  type VerifyEd25519,
} from '../../webvh/log.ts'
import { readWebvhLog } from '../../webvh/published.ts'
import { assertNoRollback } from '../../webvh/seen-versions.ts'
import { verifyWith } from '../keys/index.ts'
import {
  type DidResolution,
  type ReadDidDocument,
  readDidDocument,
  readText,
  recordUnreadable,
  resolutionOf,
} from '../web/index.ts'

/**
 * The tenant that hosts a DID; undefined for a DID of another host. Throws if the DID belongs here but does not exist.
 */
export const hostOf = async (did: WebvhDid): Promise<string | undefined> => {
  const tenant = possibleTenantOf(did)
  if (tenant === undefined) return undefined
  const published = await readWebvhLog(currentUnit(), tenant)
  if (published?.did === did.did) return tenant
  if (isOurLocation(did)) throw new CredoError(`the DID ${did.did} does not exist`)
  return undefined
}

/** Documents read by the running unit of work: several objects of a message have the same issuer. */
const RESOLVED = Symbol('resolved did:webvh')

/** The current document of a did:webvh. Throws if there is none. */
export const resolveWebvh = (did: WebvhDid): Promise<ReadDidDocument> => {
  const resolved = currentUnit().moduleState(RESOLVED, () => new Map<string, Promise<ReadDidDocument>>())
  const known = resolved.get(did.did)
  if (known !== undefined) return known
  const document = resolve(did).then(readDidDocument)
  resolved.set(did.did, document)
  return document
}

const resolve = async (did: WebvhDid): Promise<object> => {
  const tenant = await hostOf(did)
  if (tenant === undefined) return readDocument(did)
  const published = await readWebvhLog(currentUnit(), tenant)
  const newest = published?.log.trim().split('\n').at(-1)
  if (newest === undefined) throw new CredoError(`the DID ${did.did} does not exist`)
  return JSON.parse(newest).state
}

const readFile = (did: WebvhDid, file: Parameters<typeof urlOfFile>[1], accept: string): Promise<string> =>
  readText(urlOfFile(did, file), { accept, maxBytes: MAX_LOG_BYTES })

/** Runs `parse`. A log that is too long, or an error page instead of the log, is an unreadable document. */
const withinLimits = <T>({ host }: WebvhDid, parse: () => T): T => {
  try {
    return parse()
  } catch (error) {
    if (error instanceof SyntaxError) throw recordUnreadable('the log is not JSON', host)
    throw error instanceof LogTooLongError ? recordUnreadable(error.message, host) : error
  }
}

const readDocument = async (did: WebvhDid): Promise<object> => {
  const served = await readFile(did, 'did.jsonl', 'text/jsonl')
  const log = withinLimits(did, () => parseLog(served))
  const proofs = needsWitnessProofs(log) ? await readFile(did, 'did-witness.json', 'application/json') : '[]'
  const witnessProofs = withinLimits(did, () => parseWitnessProofs(proofs, log))
  const document = await documentOf(did, { log, witnessProofs, verify })
  await assertNoRollback(
    currentUnit(),
    did.did,
    log.map(({ versionId }) => versionId),
  )
  return document
}

const verify: VerifyEd25519 = async (signature, data, publicKey) =>
  verifyWith(Kms.PublicJwk.fromPublicKey({ kty: 'OKP', crv: 'Ed25519', publicKey }).toJson(), 'EdDSA', data, signature)

export class WebvhDidResolver implements DidResolver {
  readonly supportedMethods = ['webvh']
  /** No cache, because a key may have been replaced just now. */
  readonly allowsCaching = false
  readonly allowsLocalDidRecord = false

  async resolve(_agentContext: AgentContext, did: string): Promise<DidResolution> {
    return resolutionOf(async () => {
      const parsed = parseWebvhDid(did)
      if (parsed === undefined) throw new CredoError('it is not a did:webvh')
      return resolveWebvh(parsed)
    })
  }
}
