/**
 * The issuer of AnonCreds objects, by default the agent's did:webvh: created once, its key in the agent's key store,
 * its log served by this service.
 */
import { DidDocument, JsonTransformer, Kms } from '@credo-ts/core'
import { createDID, MultibaseEncoding, multibaseEncode, prepareDataForSigning } from 'didwebvh-ts'
import { invalidField } from '../../errors.ts'
import { currentUnit } from '../../store/transaction.ts'
import { isOurLocation, type Location, locationOf, parseDomain, parseWebvhDid } from '../../webvh/did.ts'
import { publishLog, readWebvhLog } from '../../webvh/published.ts'
import type { TenantAgent } from '../credo/index.ts'
import { saveOwnDid } from './own-dids.ts'

/** A result of didwebvh-ts, whose types cannot be resolved by Node's rules. */
interface Created {
  did: string
  doc: object
  log: object[]
}

interface SigningInput {
  document: object
  proof: object
}

/** The agent's own did:webvh. The first call creates it, and the commit of the running unit of work publishes it. */
export const webvhIssuer = async (agent: Agent): Promise<string> => {
  const unit = currentUnit()
  const known = await readWebvhLog(unit, unit.tenant)
  if (known !== undefined) return known.did
  const { did, log } = await createDid(agent, locationOf(unit.tenant))
  publishLog(unit, { did, log })
  return did
}

/**
 * Creates a did:webvh that the caller will serve. `domain` is in the form of a DID, and may have a path. Throws
 * `request.invalid` for this service's own domain.
 */
export const createWebvhDidOf = async (agent: Agent, domain: string) => {
  const parsed = parseDomain(domain)
  if (parsed === undefined) throw invalidField('domain', 'must be the domain of a DID')
  if (isOurLocation(parsed))
    throw invalidField('domain', 'must not be the domain of this service, which serves the DID without a domain')
  const [host = '', ...path] = domain.split(':')
  return createDid(agent, { domain: host, path })
}

type Agent = Pick<TenantAgent, 'context'>

const createDid = async (agent: Agent, location: Location) => {
  const kms = agent.context.resolve(Kms.KeyManagementApi)
  const { keyId, publicJwk } = await kms.createKey({ type: { kty: 'OKP', crv: 'Ed25519' } })
  const publicKeyMultibase = Kms.PublicJwk.fromPublicJwk(publicJwk).fingerprint
  const { did, doc, log } = await createLog(location, {
    publicKeyMultibase,
    sign: async (data) => (await kms.sign({ keyId, algorithm: 'EdDSA', data })).signature,
    verify: async (signature, data) =>
      (await kms.verify({ key: { publicJwk }, algorithm: 'EdDSA', signature, data })).verified,
  })
  await saveOwnDid(agent, {
    did,
    didDocument: JsonTransformer.fromJSON(doc, DidDocument),
    stored: true,
    keys: [{ kmsKeyId: keyId, didDocumentRelativeKeyId: `#${publicKeyMultibase}` }],
  })
  return { did, document: doc, log: `${log.map((entry) => JSON.stringify(entry)).join('\n')}\n` }
}

interface Key {
  publicKeyMultibase: string
  sign: (data: Uint8Array) => Promise<Uint8Array>
  verify: (signature: Uint8Array, data: Uint8Array) => Promise<boolean>
}

/**
 * Replaces Credo's registrar, whose DIDs other implementations reject: proofs must name the key with its fragment, the
 * DID document must list the key for assertion, and only the DID may be its controller.
 */
const createLog = async ({ domain, path }: Location, { publicKeyMultibase, sign, verify }: Key): Promise<Created> => {
  const id = `${['did:webvh:{SCID}', domain, ...path].join(':')}#${publicKeyMultibase}`
  return createDID({
    domain,
    paths: path,
    updateKeys: [publicKeyMultibase],
    verificationMethods: [{ id, type: 'Multikey', publicKeyMultibase }],
    authentication: [],
    assertionMethod: [id],
    signer: {
      getVerificationMethodId: () => `did:key:${publicKeyMultibase}#${publicKeyMultibase}`,
      sign: async ({ document, proof }: SigningInput) => {
        const signature = await sign(await prepareDataForSigning(document, proof))
        return { proofValue: multibaseEncode(signature, MultibaseEncoding.BASE58_BTC) }
      },
    },
    verifier: { verify },
  })
}

/**
 * The issuer that a request names in `issuerId`, by default the agent's did:webvh. Throws `request.invalid` for another
 * agent's did:webvh.
 */
export const issuerOf = async (agent: TenantAgent, named: string | undefined): Promise<string> => {
  if (named === undefined) return webvhIssuer(agent)
  const unit = currentUnit()
  if (parseWebvhDid(named) !== undefined && (await readWebvhLog(unit, unit.tenant))?.did !== named)
    throw invalidField('issuerId', 'is not a DID of this agent')
  return named
}
