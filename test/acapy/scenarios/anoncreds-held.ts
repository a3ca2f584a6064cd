/** AnonCreds that an ACA-Py issues by an Indy ledger, and the agent holds and presents: Issue Credential 2.0, Present Proof 2.0. */
import assert from 'node:assert/strict'
import type { Json } from '../../support/stage/in-process-stage.ts'
import { PERSON } from '../anoncreds-offers.ts'
import { nameAndAge, secondThatIsOver } from '../anoncreds-proofs.ts'
import { INDY } from '../anoncreds-scenario.ts'
import { accept, ourExchangeOf, theirExchangeOf } from '../holding.ts'
import { connectAsInvitee } from '../inviter.ts'
import { ourProofOf, prove, theirProofOf } from '../proving.ts'
import { type Scenario, type Scene, scenario } from '../scenario.ts'

/** The issuing wallet in the place of the scenario's, connected with the agent. */
const withIssuer = async (scene: Scene) => {
  const issuer = await scene.walletIssuer()
  const other: Scene = { ...scene, acapy: issuer.wallet }
  const { connection, walletConnectionId } = await connectAsInvitee(other)
  return { other, connection, walletConnectionId, definition: issuer.definition }
}

type Connected = Awaited<ReturnType<typeof withIssuer>>

const preview = {
  '@type': 'issue-credential/2.0/credential-preview',
  attributes: Object.entries(PERSON).map(([name, value]) => ({ name, value })),
}

/** From the offer to the stored credential. Resolves to the wallet's exchange. */
const takeOffer = async (scene: Scene, threadId: string): Promise<Json> => {
  const { acapy, agent } = scene
  const ours = await ourExchangeOf(agent, threadId, 'offer-received')
  await accept(scene, ours)
  return theirExchangeOf(acapy, threadId, 'done')
}

/** The wallet asks for name and age of a credential that is not revoked by then. Resolves to our exchange. */
const requestFor = async ({ other, walletConnectionId, definition }: Connected, to: number): Promise<Json> => {
  const { attributes, predicates } = nameAndAge(definition)
  const { thread_id: threadId } = await other.acapy.post('/present-proof-2.0/send-request', {
    connection_id: walletConnectionId,
    presentation_request: {
      anoncreds: {
        ...{ name: 'A degree', version: '1.0', non_revoked: { to } },
        ...{ requested_attributes: attributes, requested_predicates: predicates },
      },
    },
    auto_verify: false,
  })
  return ourProofOf(other, threadId, 'request-received')
}

const HOLDER = { protocol: INDY, role: 'holder', versions: ['1.7.0'] } as const

export const ANONCREDS_HELD: Scenario[] = [
  scenario(
    { ...HOLDER, role: 'holder, prover' },
    'anoncreds-held',
    'issues a credential to us, asks for it, revokes it and asks again',
    async (scene) => {
      const connected = await withIssuer(scene)
      const { other, walletConnectionId, definition } = connected
      const { acapy, agent } = other
      const { thread_id: threadId } = await acapy.post('/issue-credential-2.0/send-offer', {
        connection_id: walletConnectionId,
        filter: { anoncreds: { cred_def_id: definition.credentialDefinitionId } },
        credential_preview: preview,
      })
      const { cred_ex_id: exchangeId } = await takeOffer(other, threadId)
      await prove(other, await requestFor(connected, await secondThatIsOver()))
      await acapy.post('/anoncreds/revocation/revoke', { cred_ex_id: exchangeId, publish: true })
      const again = await requestFor(connected, await secondThatIsOver())
      await assert.rejects(agent.ask(`/proofs/${again.id}/accept-request`, {}), /answers 422/)
      await agent.ask(`/proofs/${again.id}/accept-request`, { filterByNonRevocationRequirements: false })
      const { pres_ex_id: id } = await theirProofOf(acapy, again.threadId, 'presentation-received')
      await acapy.post(`/present-proof-2.0/records/${id}/verify-presentation`)
      const { verified } = await theirProofOf(acapy, again.threadId, 'done', 'abandoned')
      assert.equal(verified, 'false')
    },
  ),
  scenario(HOLDER, 'anoncreds-held-proposed', 'issues a credential that we have proposed', async (scene) => {
    const { other, connection, definition } = await withIssuer(scene)
    const { acapy, agent } = other
    const { threadId } = await agent.ask('/credentials/propose-credential', {
      connectionId: connection.id,
      protocolVersion: 'v2',
      credentialFormats: {
        anoncreds: { credentialDefinitionId: definition.credentialDefinitionId, attributes: preview.attributes },
      },
      autoAcceptCredential: 'never',
    })
    const { cred_ex_id: id } = await theirExchangeOf(acapy, threadId, 'proposal-received')
    await acapy.post(`/issue-credential-2.0/records/${id}/send-offer`, {})
    await takeOffer(other, threadId)
  }),
]
