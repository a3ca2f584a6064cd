/** Problem reports (Aries RFC 0035) of the wallet and of ours. */
import assert from 'node:assert/strict'
import { connect } from '../connect.ts'
import { newHolderDid, offered } from '../credentials.ts'
import { arrived, talkBothWays } from '../messages.ts'
import { present, requested } from '../presentations.ts'
import { plainCredential } from '../requests.ts'
import { type Scenario, scenario } from '../scenario.ts'

const RECEIVER = { protocol: 'Report Problem 1.0', role: 'receiver' }
const VERIFIER = { protocol: 'Present Proof 2.0', role: 'verifier' }

const genericReport = (thread: object = {}) => ({
  '@type': 'https://didcomm.org/notification/1.0/problem-report',
  '@id': crypto.randomUUID(),
  description: { code: 'abandoned', en: 'I would rather not' },
  ...thread,
})

export const PROBLEM_REPORTS: Scenario[] = [
  scenario(
    { ...RECEIVER, versions: ['1.7.0'] },
    'problem-report-on-nothing',
    'reports a problem on no thread of ours; the connection stays as it is',
    async (scene) => {
      const { acapy } = scene
      const { connection, walletConnectionId } = await connect(scene)
      await acapy.sendRaw(walletConnectionId, genericReport())
      await arrived(scene, 'notification/1.0/problem-report')
      await talkBothWays(scene, connection.id, walletConnectionId)
    },
  ),
  scenario(
    RECEIVER,
    'no-credential',
    'has no credential for the request: it reports a problem, and the proof is abandoned',
    async (scene) => {
      const { acapy, agent } = scene
      const { request } = await connect(scene)
      // ACA-Py answers its own controller with a 500 while it reports to us.
      await present(acapy, request, {}).catch(() => {})
      await agent.proofIn(request, 'abandoned')
    },
  ),
  scenario(
    { ...RECEIVER, versions: ['1.7.0'] },
    'problem-report-on-offer',
    'reports a problem on the thread of an offer, which is abandoned',
    async (scene) => {
      const { acapy, agent } = scene
      const { connection, walletConnectionId } = await connect(scene)
      const { ours } = await offered(scene, connection.id, plainCredential(await newHolderDid(acapy)))
      await acapy.sendRaw(walletConnectionId, genericReport({ '~thread': { thid: ours.threadId } }))
      await agent.credentialIn(ours, 'abandoned')
    },
  ),
  scenario(
    { protocol: 'Issue Credential 2.0', role: 'issuer' },
    'decline-offer',
    'declines an offer',
    async (scene) => {
      const { acapy, agent } = scene
      const { connection } = await connect(scene)
      const { ours, theirs } = await offered(scene, connection.id, plainCredential(await newHolderDid(acapy)))
      const path = `/issue-credential-2.0/records/${theirs.cred_ex_id}/problem-report`
      await acapy.post(path, { description: 'No, thank you' })
      await agent.credentialIn(ours, 'abandoned', 'declined')
    },
  ),
  scenario(VERIFIER, 'decline-request', 'declines a proof request', async (scene) => {
    const { acapy, agent } = scene
    const { request } = await connect(scene)
    const { pres_ex_id: id } = await requested(acapy, request)
    await acapy.post(`/present-proof-2.0/records/${id}/problem-report`, { description: 'No, thank you' })
    const proof = await agent.proofIn(request, 'abandoned', 'declined')
    assert.match(proof.errorMessage, /No, thank you/)
  }),
  scenario(
    { ...VERIFIER, versions: ['1.7.0'] },
    'problem-report-of-ours',
    'sends an invalid presentation, and gets our problem report',
    async (scene) => {
      const { acapy, agent } = scene
      const { request, walletConnectionId } = await connect(scene)
      const data = { base64: Buffer.from(JSON.stringify({ type: 'VerifiablePresentation' })).toString('base64') }
      await acapy.sendRaw(walletConnectionId, {
        '@type': 'https://didcomm.org/present-proof/2.0/presentation',
        '@id': crypto.randomUUID(),
        '~thread': { thid: request.proofRecordThId },
        formats: [{ attach_id: 'dif', format: 'dif/presentation-exchange/submission@v1.0' }],
        'presentations~attach': [{ '@id': 'dif', 'mime-type': 'application/json', data }],
      })
      await agent.proofIn(request, 'abandoned')
      const { pres_ex_id: id } = await requested(acapy, request)
      await acapy.recordIn(`/present-proof-2.0/records/${id}`, 'abandoned')
    },
  ),
]
