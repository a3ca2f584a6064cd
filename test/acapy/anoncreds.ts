/** Steps with AnonCreds: the wallet takes what the issuer offers, and presents it. */
import assert from 'node:assert/strict'
import type { Json } from '../support/stage/in-process-stage.ts'
import { waitFor } from '../wallet/wait.ts'
import type { AcaPy } from './acapy.ts'
import type { OurAgent } from './agent.ts'
import { connect, invitationOf, receive } from './connect.ts'
import type { Definition } from './issuer.ts'
import { requested } from './presentations.ts'
import type { Scene } from './scenario.ts'

export type Format = 'indy' | 'anoncreds'

export const PERSON = { name: 'Alice', degree: 'Bachelor', age: '24' }

export interface Offered {
  format: Format
  /** 2 by default. */
  protocolVersion?: 'v1' | 'v2'
  /** Of the attributes: PERSON by default. */
  values?: Record<string, string>
  withoutConnection?: boolean
}

const attributesOf = (values: Record<string, string>): object[] =>
  Object.entries(values).map(([name, value]) => ({ name, value }))

export const offerOf = (
  { credentialDefinitionId }: Definition,
  { format, protocolVersion = 'v2', values = PERSON }: Offered,
): object => ({
  protocolVersion,
  credentialFormats: { [format]: { credentialDefinitionId, attributes: attributesOf(values) } },
})

/** Offers, as soon as there is a revocation registry to take an index of. */
export const offer = (agent: OurAgent, path: string, body: object): Promise<Json> =>
  waitFor(
    'a revocation registry',
    () =>
      agent.ask(path, body).catch((error) => {
        if (!String(error).includes(' answers 503')) throw error
        return undefined
      }),
    60_000,
  )

/** The paths and fields of the two versions of the protocols in ACA-Py's admin API. */
const CREDENTIALS = {
  v1: {
    records: '/issue-credential/records',
    id: 'credential_exchange_id',
    received: 'credential_received',
    done: 'credential_acked',
    record: (answer: Json) => answer,
  },
  v2: {
    records: '/issue-credential-2.0/records',
    id: 'cred_ex_id',
    received: 'credential-received',
    done: 'done',
    record: (answer: Json) => answer.cred_ex_record,
  },
}

/** The wallet asks for what it was offered, and stores it. Resolves to the credential's id in its store. */
export const takeOffer = async (acapy: AcaPy, threadId: string, version: 'v1' | 'v2' = 'v2'): Promise<string> => {
  const { records, id, received, done, record } = CREDENTIALS[version]
  const offered = await waitFor('the wallet to have the offer', async () => {
    const { results } = await acapy.get(`${records}?thread_id=${threadId}`)
    return results[0] && record(results[0])
  })
  const path = `${records}/${offered[id]}`
  await acapy.post(`${path}/send-request`)
  await waitFor('the wallet to have the credential', async () => {
    const { error_msg: error, state } = record(await acapy.get(path))
    if (error) throw new Error(error)
    return state === received
  })
  const credentialId = crypto.randomUUID()
  const stored = await acapy.post(`${path}/store`, { credential_id: credentialId })
  assert.equal(record(stored).state, done)
  return credentialId
}

export interface Taken {
  /** Our exchange, when it is done. */
  ours: Json
  /** Of the wallet's store. */
  credentialId: string
  walletConnectionId: string
}

/** The issuer offers a credential on a connection; the wallet takes and stores it. */
export const issueOnConnection = async (scene: Scene, definition: Definition, offered: Offered): Promise<Taken> => {
  const { acapy } = scene
  const { agent } = await scene.issuer()
  const { connection, walletConnectionId } = await connect({ ...scene, agent })
  const body = { ...offerOf(definition, offered), connectionId: connection.id }
  const sent = await offer(agent, '/credentials/create-offer', body)
  const credentialId = await takeOffer(acapy, sent.threadId, offered.protocolVersion)
  return { ours: await agent.credentialIn(sent, 'done'), credentialId, walletConnectionId }
}

/** The same in an invitation, from which the connection comes as well. */
export const issueOutOfBand = async (scene: Scene, definition: Definition, offered: Offered): Promise<Taken> => {
  const { acapy } = scene
  const { agent } = await scene.issuer()
  const made = await offer(agent, '/credentials/create-offer-oob', offerOf(definition, offered))
  const { handshake_protocols: protocols, ...invitation } = invitationOf(made)
  const shown = offered.withoutConnection ? invitation : { ...invitation, handshake_protocols: protocols }
  const walletConnectionId = await receive(acapy, shown)
  const credentialId = await takeOffer(acapy, made.credentialRequestThId, offered.protocolVersion)
  const ours = await agent.credentialIn({ id: made.credentialRecordId }, 'done')
  return { ours, credentialId, walletConnectionId }
}

export interface Asked {
  format: Format
  protocolVersion?: 'v1' | 'v2'
  attributes?: Record<string, object>
  predicates?: Record<string, object>
  nonRevoked?: { from?: number; to: number }
  withoutConnection?: boolean
}

/** Seconds since the epoch. */
export const now = (): number => Math.floor(Date.now() / 1000)

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

/** Name and age of a credential of this definition. */
export const nameAndAge = ({ credentialDefinitionId }: Definition): Pick<Asked, 'attributes' | 'predicates'> => {
  const restrictions = [{ cred_def_id: credentialDefinitionId }]
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

const v1Requested = (acapy: AcaPy, { proofRecordThId }: Json): Promise<Json> =>
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

/** The wallet presents, if it can find the chosen credentials by what is asked for. */
export const presentChosen = async (acapy: AcaPy, request: Json, asked: Asked, chosen: Chosen): Promise<void> => {
  const { format, protocolVersion = 'v2' } = asked
  const path = await recordPath(acapy, request, protocolVersion)
  const found: Json[] = await acapy.get(`${path}/credentials`)
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

/** Ms: an operator writes it to a ledger, where the agent looks for it every 5 s. */
const PUBLICATION_DEADLINE = 40_000

/** Revokes what the issuer has issued; resolves when it is published. */
export const revoke = async ({ issuer }: Scene, { ours }: Taken): Promise<void> => {
  const { agent } = await issuer()
  await agent.ask(`/credentials/${ours.id}/revoke`, {})
  await waitFor(
    'the revocation to be published',
    async () => {
      const { metadata } = await agent.ask(`/credentials/${ours.id}`)
      return metadata['_agent/revocation'].state === 'published'
    },
    PUBLICATION_DEADLINE,
  )
}
