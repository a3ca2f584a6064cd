/** JSON-LD credentials: Issue Credential 2.0 (Aries RFC 0453) with RFC 0593. */
import assert from 'node:assert/strict'
import { connect } from '../connect.ts'
import { issue, newHolderDid, offered } from '../credentials.ts'
import { arrived, ping, talkBothWays } from '../messages.ts'
import { CREDENTIALS_V1, inlineDegreeCredential, plainCredential } from '../requests.ts'
import { type Scenario, type Scene, scenario } from '../scenario.ts'

const ISSUER = { protocol: 'Issue Credential 2.0, JSON-LD', role: 'issuer' }

/** Connects and takes a credential. */
const take =
  (credentialFor: (holderDid: string) => object): Scenario['play'] =>
  async (scene: Scene) => {
    const holderDid = await newHolderDid(scene.acapy)
    const { connection } = await connect(scene)
    await issue(scene, connection.id, credentialFor(holderDid), holderDid)
  }

/** What a holder that does not like an offer answers. */
const proposal = (thread: object, subject: string) => {
  const credential = { ...plainCredential(subject), issuer: subject, type: ['VerifiableCredential'] }
  const detail = {
    credential: { ...credential, issuanceDate: '2030-01-01T00:00:00Z' },
    options: { proofType: 'Ed25519Signature2018' },
  }
  return {
    '@type': 'https://didcomm.org/issue-credential/2.0/propose-credential',
    '@id': crypto.randomUUID(),
    ...thread,
    formats: [{ attach_id: 'ld_proof', format: 'aries/ld-proof-vc-detail@v1.0' }],
    'filters~attach': [{ '@id': 'ld_proof', 'mime-type': 'application/json', data: { json: detail } }],
  }
}

export const CREDENTIALS: Scenario[] = [
  scenario(
    ISSUER,
    'credential',
    'takes and stores a credential',
    take((holderDid) => plainCredential(holderDid)),
  ),
  scenario(
    { ...ISSUER, versions: ['1.7.0'], agent: 'base' },
    'credential-base-agent',
    'takes and stores a credential of the base agent',
    take((holderDid) => plainCredential(holderDid)),
  ),
  scenario(
    ISSUER,
    'credential-subject-of-the-holder',
    'takes a credential whose subject the offer leaves to it',
    async (scene) => {
      const holderDid = await newHolderDid(scene.acapy)
      const { connection } = await connect(scene)
      const { credential } = await issue(scene, connection.id, inlineDegreeCredential(undefined, 'Bachelor'), holderDid)
      assert.equal(credential.credentialSubject.id, holderDid)
    },
  ),
  scenario(
    ISSUER,
    'credential-inline-context',
    'takes a credential with a context in it',
    take((holderDid) => inlineDegreeCredential(holderDid, 'Bachelor')),
  ),
  scenario(
    { ...ISSUER, versions: ['1.7.0'] },
    'counter-proposal',
    'answers an offer with a proposal; no offer follows by itself',
    async (scene) => {
      const { acapy, agent } = scene
      const holderDid = await newHolderDid(acapy)
      const { connection, walletConnectionId } = await connect(scene)
      const { ours } = await offered(scene, connection.id, plainCredential(holderDid))
      await acapy.sendRaw(walletConnectionId, proposal({ '~thread': { thid: ours.threadId } }, holderDid))
      await arrived(scene, 'issue-credential/2.0/propose-credential')
      await talkBothWays(scene, connection.id, walletConnectionId)
      const offers = await acapy.heard('issue-credential/2.0/offer-credential', walletConnectionId)
      assert.equal(offers.length, 1, 'an offer followed')
      await agent.credentialIn(ours, 'proposal-received')
    },
  ),
  scenario(
    { ...ISSUER, versions: ['1.7.0'] },
    'proposal',
    'proposes a credential by itself; no offer follows by itself',
    async (scene) => {
      const { acapy } = scene
      const holderDid = await newHolderDid(acapy)
      const { connection, walletConnectionId } = await connect(scene)
      await acapy.post('/issue-credential-2.0/send-proposal', {
        connection_id: walletConnectionId,
        filter: {
          ld_proof: {
            credential: { ...plainCredential(holderDid), '@context': [CREDENTIALS_V1], issuer: holderDid },
            options: { proofType: 'Ed25519Signature2018' },
          },
        },
      })
      await arrived(scene, 'issue-credential/2.0/propose-credential')
      await talkBothWays(scene, connection.id, walletConnectionId)
      assert.deepEqual(await acapy.heard('issue-credential/2.0/offer-credential', walletConnectionId), [])
    },
  ),
  scenario(
    { ...ISSUER, versions: ['1.7.0'] },
    'request-of-something-else',
    'asks for something else than was offered; nothing is issued',
    async (scene) => {
      const { acapy, agent } = scene
      const holderDid = await newHolderDid(acapy)
      const { connection, walletConnectionId } = await connect(scene)
      const { ours } = await offered(scene, connection.id, inlineDegreeCredential(holderDid, 'Bachelor'))
      const [offer] = await acapy.heard('issue-credential/2.0/offer-credential', walletConnectionId)
      const detail = JSON.parse(Buffer.from(offer['offers~attach'][0].data.base64, 'base64').toString())
      detail.credential.credentialSubject.degree = 'Doctor'
      await acapy.sendRaw(walletConnectionId, {
        '@type': 'https://didcomm.org/issue-credential/2.0/request-credential',
        '@id': crypto.randomUUID(),
        '~thread': { thid: ours.threadId },
        formats: [{ attach_id: 'ld_proof', format: 'aries/ld-proof-vc-detail@v1.0' }],
        'requests~attach': [{ '@id': 'ld_proof', 'mime-type': 'application/json', data: { json: detail } }],
      })
      await agent.credentialIn(ours, 'abandoned', 'done', 'credential-issued')
      await ping(acapy, walletConnectionId)
      const credentials = await acapy.heard('issue-credential/2.0/issue-credential', walletConnectionId)
      assert.equal(credentials.length, 0, 'we issued what was not offered')
      await agent.credentialIn(ours, 'abandoned')
    },
  ),
]
