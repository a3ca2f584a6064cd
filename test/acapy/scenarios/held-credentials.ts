/** JSON-LD credentials that the wallet issues, and the agent holds: Issue Credential 2.0 (Aries RFC 0453) with RFC 0593. */
import assert from 'node:assert/strict'
import { connect } from '../connect.ts'
import { newHolderDid } from '../credentials.ts'
import { license } from '../harness.ts'
import {
  accept,
  detailBy,
  offerInInvitation,
  offerOf,
  ourExchangeOf,
  type ProofType,
  theirExchangeOf,
} from '../holding.ts'
import { connectAsInvitee, take, takenBy } from '../inviter.ts'
import { heardOn } from '../messages.ts'
import { plainCredential } from '../requests.ts'
import { type Scenario, type Scene, scenario } from '../scenario.ts'

const PROTOCOL = 'Issue Credential 2.0, JSON-LD'
const HOLDER = { protocol: PROTOCOL, role: 'holder' }
const ISSUER = { protocol: PROTOCOL, role: 'issuer' }

/** The agent takes an offer, and holds what it was issued. */
const takes =
  (credentialAbout: (subject: string) => object, proofType?: ProofType): Scenario['play'] =>
  async (scene) => {
    const { walletConnectionId } = await connectAsInvitee(scene)
    const detail = await detailBy(scene, credentialAbout, proofType)
    const ours = await offerOf(scene, walletConnectionId, detail)
    const { credentialInstances } = await accept(scene, ours)
    const [{ credential }] = credentialInstances
    assert.equal(credential.issuer.id ?? credential.issuer, detail.credential.issuer)
    assert.equal(credential.proof.type, detail.options.proofType)
  }

/** The agent proposes, the wallet offers what was proposed. */
const proposes =
  (proofType: ProofType): Scenario['play'] =>
  async (scene) => {
    const { acapy, agent } = scene
    const { connection } = await connectAsInvitee(scene)
    const detail = await detailBy(scene, license, proofType)
    const { threadId } = await agent.ask('/credentials/propose-credential', {
      connectionId: connection.id,
      protocolVersion: 'v2',
      credentialFormats: { jsonld: detail },
      autoAcceptCredential: 'never',
    })
    const { cred_ex_id: id } = await theirExchangeOf(acapy, threadId, 'proposal-received')
    await acapy.post(`/issue-credential-2.0/records/${id}/send-offer`, {})
    const ours = await ourExchangeOf(agent, threadId, 'offer-received')
    const { _tags } = await accept(scene, ours)
    assert.ok(_tags.types.includes('AATHDriversLicense'))
  }

/** From our offer to the credential that the wallet stores, each step by a call. */
const issueByCalls = async ({ acapy, agent }: Scene, threadId: string, holderDid: string): Promise<void> => {
  const { cred_ex_id: id } = await theirExchangeOf(acapy, threadId, 'offer-received')
  await acapy.post(`/issue-credential-2.0/records/${id}/send-request`, { holder_did: holderDid })
  const ours = await ourExchangeOf(agent, threadId, 'request-received')
  await agent.ask('/credentials/accept-request', { credentialRecordId: ours.id, autoAcceptCredential: 'never' })
  await theirExchangeOf(acapy, threadId, 'credential-received')
  await acapy.post(`/issue-credential-2.0/records/${id}/store`)
  await agent.credentialIn(ours, 'done')
}

export const HELD_CREDENTIALS: Scenario[] = [
  scenario(HOLDER, 'held', 'offers a credential, which we take and store', takes(plainCredential)),
  scenario(
    HOLDER,
    'held-inline-context',
    'offers a credential with a context in it, which we take and store',
    takes(license),
  ),
  scenario(
    HOLDER,
    'held-2020',
    'offers a credential with a proof of 2020, which we take and store',
    takes(license, 'Ed25519Signature2020'),
  ),
  scenario(
    HOLDER,
    'held-proposed',
    'offers what we have proposed; we take and store it',
    proposes('Ed25519Signature2018'),
  ),
  scenario(
    HOLDER,
    'held-proposed-2020',
    'offers what we have proposed, with a proof of 2020; we take and store it',
    proposes('Ed25519Signature2020'),
  ),
  scenario(HOLDER, 'held-declined', 'hears that we decline its offer', async (scene) => {
    const { acapy, agent } = scene
    const { walletConnectionId } = await connectAsInvitee(scene)
    const ours = await offerOf(scene, walletConnectionId, await detailBy(scene, license))
    await agent.ask('/credentials/decline-offer', {
      credentialRecordId: ours.id,
      problemReportDescription: 'No, thank you',
    })
    await agent.credentialIn(ours, 'declined')
    const { error_msg: reason } = await theirExchangeOf(acapy, ours.threadId, 'abandoned')
    assert.match(reason, /No, thank you/)
  }),
  scenario(HOLDER, 'held-abandoned', 'takes its offer back by a problem report', async (scene) => {
    const { acapy, agent } = scene
    const { walletConnectionId } = await connectAsInvitee(scene)
    const ours = await offerOf(scene, walletConnectionId, await detailBy(scene, license))
    const { cred_ex_id: id } = await theirExchangeOf(acapy, ours.threadId, 'offer-sent')
    await acapy.post(`/issue-credential-2.0/records/${id}/problem-report`, { description: 'It was a mistake' })
    const { errorMessage } = await agent.credentialIn(ours, 'abandoned')
    assert.match(errorMessage, /It was a mistake/)
  }),
  scenario(
    HOLDER,
    'held-without-connection',
    'offers a credential in an invitation without a connection; we take and store it',
    async (scene) => {
      const { acapy, agent } = scene
      const detail = await detailBy(scene, license)
      const { invited, threadId } = await offerInInvitation(acapy, detail, { handshake_protocols: [] })
      await take(scene, invited)
      await accept(scene, await ourExchangeOf(agent, threadId, 'offer-received'))
    },
  ),
  scenario(
    HOLDER,
    'held-without-connection-declined',
    'offers a credential in an invitation without a connection, and gets our problem report; ACA-Py accepts none without a connection',
    async (scene) => {
      const { acapy, agent } = scene
      const detail = await detailBy(scene, license)
      const { invited, threadId } = await offerInInvitation(acapy, detail, { handshake_protocols: [] })
      await take(scene, invited)
      const ours = await ourExchangeOf(agent, threadId, 'offer-received')
      await agent.ask('/credentials/decline-offer', { credentialRecordId: ours.id })
      await agent.credentialIn(ours, 'declined')
      await heardOn(acapy, 'issue-credential/2.0/problem-report', threadId)
    },
  ),
  scenario(
    { ...HOLDER, repeated: true },
    'held-repeated',
    'delivers everything three times, and all of it again at the end; we hold one credential',
    async (scene) => {
      const { agent } = scene
      const { walletConnectionId } = await connectAsInvitee(scene)
      const ours = await offerOf(scene, walletConnectionId, await detailBy(scene, license))
      await accept(scene, ours)
      assert.deepEqual(
        (await scene.deliverAgain()).filter((status) => status >= 300),
        [],
      )
      assert.equal((await agent.ask('/credentials/w3c')).length, 1)
      assert.equal((await agent.ask('/credentials')).length, 1)
    },
  ),
  scenario(
    { ...HOLDER, versions: ['1.7.0'], wallet: 'own' },
    'held-late',
    'is down while we accept its offer, and issues when it comes back',
    async (scene) => {
      const { acapy, agent } = scene
      const { walletConnectionId } = await connectAsInvitee(scene)
      const ours = await offerOf(scene, walletConnectionId, await detailBy(scene, license))
      await acapy.down()
      await agent.ask('/credentials/accept-offer', { credentialRecordId: ours.id })
      await acapy.up()
      const { cred_ex_id: id } = await theirExchangeOf(acapy, ours.threadId, 'request-received')
      await acapy.post(`/issue-credential-2.0/records/${id}/issue`, {})
      // The requested credential is accepted without a call.
      await agent.credentialIn(ours, 'done')
      await theirExchangeOf(acapy, ours.threadId, 'done')
    },
  ),
  scenario(
    HOLDER,
    'held-attached',
    'offers a credential in an invitation; we connect, take and store it',
    async (scene) => {
      const { acapy, agent } = scene
      const { invited, threadId } = await offerInInvitation(acapy, await detailBy(scene, license))
      const { connection } = await takenBy(scene, invited, await take(scene, invited))
      const ours = await ourExchangeOf(agent, threadId, 'offer-received')
      assert.equal(ours.connectionId, connection.id)
      await accept(scene, ours)
    },
  ),
  scenario(ISSUER, 'issuing-proposed', 'proposes a credential, which we offer and issue by calls', async (scene) => {
    const { acapy, agent } = scene
    const { walletConnectionId } = await connect(scene)
    const { did: issuer } = await agent.ask('/dids/write', { method: 'key' })
    const holderDid = await newHolderDid(acapy)
    const { thread_id: threadId } = await acapy.post('/issue-credential-2.0/send-proposal', {
      connection_id: walletConnectionId,
      filter: {
        ld_proof: {
          credential: { ...license(holderDid), issuer },
          options: { proofType: 'Ed25519Signature2018' },
        },
      },
    })
    const ours = await ourExchangeOf(agent, threadId, 'proposal-received')
    await agent.ask('/credentials/accept-proposal', { credentialRecordId: ours.id, autoAcceptCredential: 'never' })
    await issueByCalls(scene, threadId, holderDid)
  }),
  scenario(
    ISSUER,
    'issuing-without-connection',
    'takes a credential that we offer in an invitation without a connection',
    async (scene) => {
      const { acapy, agent } = scene
      const holderDid = await newHolderDid(acapy)
      const offered = await agent.ask('/credentials/create-offer-oob', {
        protocolVersion: 'v2',
        credentialFormats: {
          jsonld: { credential: license(holderDid), options: { proofType: 'Ed25519Signature2018' } },
        },
        autoAcceptCredential: 'never',
        handshake: false,
      })
      await acapy.post('/out-of-band/receive-invitation?auto_accept=true', offered.invitation)
      await issueByCalls(scene, offered.credentialRequestThId, holderDid)
    },
  ),
]
