/** A degree that a tenant holds: issued by another tenant and stored, without an exchange. */
import {
  ClaimFormat,
  Ed25519Signature2020,
  JsonTransformer,
  W3cCredential,
  W3cCredentialRecord,
  type W3cJsonLdVerifiableCredential,
} from '@credo-ts/core'
import type { TenantAgent } from '../../lib/agent/credo/current.ts'
import { inTenant } from './anoncreds/world.ts'
import { offerBody } from './scenes.ts'
import type { Json } from './stage/in-process-stage.ts'

interface Tenant {
  tenantId: string
}

const createKeyDid = async ({ dids }: TenantAgent): Promise<string> => {
  const { didState } = await dids.create({
    method: 'key',
    options: { createKey: { type: { kty: 'OKP', crv: 'Ed25519' } } },
  })
  if (didState.did === undefined) throw new Error('no DID was made')
  return didState.did
}

export const keyDidOf = ({ tenantId }: Tenant): Promise<string> => inTenant(tenantId, createKeyDid)

/** The credential of `offerBody`, about `subject`; without one it is its bearer's. `more`: what differs. */
export const degreeAbout = (subject?: string, more: object = {}): Json => {
  const { credential } = offerBody('', subject ?? '').credentialFormats.jsonld
  const { id, ...claims } = credential.credentialSubject
  return { ...credential, credentialSubject: subject === undefined ? claims : { id, ...claims }, ...more }
}

/** Documents that it signs must name the suite's context. */
const SUITE_2020 = { proofType: 'Ed25519Signature2020', context: Ed25519Signature2020.CONTEXT_URL }

/** Has one tenant sign a credential and another store it. Resolves to the id of the record. */
export const hold = async (
  issuer: Tenant,
  holder: Tenant,
  credential: Json,
  proofType: 'Ed25519Signature2018' | 'Ed25519Signature2020' = 'Ed25519Signature2018',
): Promise<string> => {
  const contexts = [...credential['@context'], ...(proofType === SUITE_2020.proofType ? [SUITE_2020.context] : [])]
  const signed = await inTenant(issuer.tenantId, async (agent) => {
    const did = await createKeyDid(agent)
    return agent.w3cCredentials.signCredential<ClaimFormat.LdpVc>({
      format: ClaimFormat.LdpVc,
      credential: JsonTransformer.fromJSON({ ...credential, '@context': contexts, issuer: did }, W3cCredential),
      proofType,
      verificationMethod: `${did}#${did.slice('did:key:'.length)}`,
    })
  })
  return store(holder, signed as W3cJsonLdVerifiableCredential)
}

const store = ({ tenantId }: Tenant, credential: W3cJsonLdVerifiableCredential): Promise<string> =>
  inTenant(tenantId, async ({ w3cCredentials }) => {
    const record = W3cCredentialRecord.fromCredential(credential)
    await w3cCredentials.store({ record })
    return record.id
  })
