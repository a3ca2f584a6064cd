/** Steps with proofs of AnonCreds: a verifier asks, the wallet presents, and the verifier judges. */
import assert from 'node:assert/strict'
import type { Json } from '../support/stage/in-process-stage.ts'
import { waitFor } from '../wallet/wait.ts'
import type { AcaPy } from './acapy.ts'
import type { Format } from './anoncreds-offers.ts'
import { invitationOf, receive } from './connect.ts'
import type { Definition } from './issuer.ts'
import { requested } from './presentations.ts'
import type { Scene } from './scenario.ts'

export interface Asked {
  format: Format
  protocolVersion?: 'v1' | 'v2'
  attributes?: Record<string, object>
  predicates?: Record<string, object>
  nonRevoked?: { from?: number; to: number }
  withoutConnection?: boolean
}

/** Seconds since the epoch. */
const now = (): number => Math.floor(Date.now() / 1000)

/** Waits until the current second is over, and returns it: a later revocation has a later time. */
export const secondThatIsOver = async (): Promise<number> => {
  const second = now()
  await waitFor('the second to be over', () => now() > second)
  return second
}

/** A body of CreateRequest. */
const proofRequestOf = (asked: Asked): object => {
  const { format, protocolVersion = 'v2', attributes = {}, predicates = {}, nonRevoked } = asked
  return {
    protocolVersion,
    autoAcceptProof: 'always',
    proofFormats: {
      [format]: {
        name: 'A degree',
        version: '1.0',
        requested_attributes: attributes,
        requested_predicates: predicates,
        ...(nonRevoked !== undefined && { non_revoked: nonRevoked }),
      },
    },
  }
}

/** The credentials that will do. */
export const restrictedTo = (credentialDefinitionId: string) => [{ cred_def_id: credentialDefinitionId }]

/** Name and age of a credential of this definition. */
export const nameAndAge = ({ credentialDefinitionId }: Definition): Pick<Asked, 'attributes' | 'predicates'> => {
  const restrictions = restrictedTo(credentialDefinitionId)
  return {
    attributes: { name: { name: 'name', restrictions } },
    predicates: { adult: { name: 'age', p_type: '>=', p_value: 18, restrictions } },
  }
}

/** What the wallet chooses for each referent. */
export interface Chosen {
  revealed?: Record<string, string>
  unrevealed?: Record<string, string>
  predicates?: Record<string, string>
  selfAttested?: Record<string, string>
}

const mapped = <T>(chosen: Record<string, string>, one: (credentialId: string) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(chosen).map(([referent, id]) => [referent, one(id)]))

const specificationOf = ({ revealed = {}, unrevealed = {}, predicates = {}, selfAttested = {} }: Chosen): object => ({
  requested_attributes: {
    ...mapped(revealed, (cred_id) => ({ cred_id, revealed: true })),
    ...mapped(unrevealed, (cred_id) => ({ cred_id, revealed: false })),
  },
  requested_predicates: mapped(predicates, (cred_id) => ({ cred_id })),
  self_attested_attributes: selfAttested,
})

/** The wallet's record of a request of Present Proof 1.0. */
export const v1Requested = (acapy: AcaPy, { proofRecordThId }: Json): Promise<Json> =>
  waitFor('the wallet to have the request', async () => {
    const { results } = await acapy.get(`/present-proof/records?thread_id=${proofRecordThId}`)
    return results[0]
  })

/** The path of the wallet's record of a request. */
const recordPath = async (acapy: AcaPy, request: Json, version: 'v1' | 'v2'): Promise<string> =>
  version === 'v1'
    ? `/present-proof/records/${(await v1Requested(acapy, request)).presentation_exchange_id}`
    : `/present-proof-2.0/records/${(await requested(acapy, request)).pres_ex_id}`

/** A verifier asks in an invitation of its own; the wallet takes it, with the connection that it offers or without. */
export const ask = async ({ acapy, agent }: Scene, asked: Asked): Promise<Json> => {
  const request = await agent.request(proofRequestOf(asked))
  const { handshake_protocols: protocols, ...invitation } = invitationOf(request)
  await receive(acapy, { ...invitation, ...(!asked.withoutConnection && { handshake_protocols: protocols }) })
  return request
}

/** More than scenarios that share a wallet store in it. */
const MANY = 200

/** The wallet presents, if it can find the chosen credentials by what is asked for. */
export const presentChosen = async (acapy: AcaPy, request: Json, asked: Asked, chosen: Chosen): Promise<void> => {
  const { format, protocolVersion = 'v2' } = asked
  const path = await recordPath(acapy, request, protocolVersion)
  const found: Json[] = await acapy.get(`${path}/credentials?count=${MANY}`)
  const ids = new Set(found.map(({ cred_info: info }) => info.referent))
  for (const id of Object.values({ ...chosen.revealed, ...chosen.unrevealed, ...chosen.predicates }))
    assert.ok(ids.has(id), `the wallet finds no credential ${id} for the request`)
  const specification = specificationOf(chosen)
  await acapy.post(`${path}/send-presentation`, protocolVersion === 'v1' ? specification : { [format]: specification })
}

/** Asks and lets the wallet present; resolves to our proof when it is judged. */
export const proofOf = async (scene: Scene, asked: Asked, chosen: Chosen): Promise<Json> => {
  const { acapy, agent } = scene
  const request = await ask(scene, asked)
  await presentChosen(acapy, request, asked, chosen)
  const proof = await agent.proofIn(request, 'done', 'abandoned')
  if (proof.isVerified !== true) return proof
  const path = await recordPath(acapy, request, asked.protocolVersion ?? 'v2')
  await acapy.recordIn(path, ...(asked.protocolVersion === 'v1' ? ['presentation_acked'] : ['done']))
  return proof
}

export const assertVerified = (proof: Json): void => {
  assert.deepEqual(
    [proof.state, proof.isVerified],
    ['done', true],
    `the proof is ${proof.state}, isVerified ${proof.isVerified}: ${proof.errorMessage}`,
  )
}

export const assertRefused = (proof: Json, reason: RegExp): void => {
  assert.deepEqual([proof.state, proof.isVerified], ['abandoned', false])
  assert.match(proof.errorMessage, reason)
}
