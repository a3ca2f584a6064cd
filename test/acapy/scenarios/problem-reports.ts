/** Problem reports (Aries RFC 0035) of the wallet and of ours. */
import assert from 'node:assert/strict'
import { connect } from '../connect.ts'
import { newHolderDid, offered } from '../credentials.ts'
import { arrived, talkBothWays } from '../messages.ts'
import { present, requested } from '../presentations.ts'
import { plainCredential } from '../requests.ts'
import type { Scenario } from '../scenario.ts'

const BOTH = ['1.7.0', '1.2.7'] as const

const genericReport = (thread: object = {}) => ({
  '@type': 'https://didcomm.org/notification/1.0/problem-report',
  '@id': crypto.randomUUID(),
  description: { code: 'abandoned', en: 'I would rather not' },
  ...thread,
})

export const PROBLEM_REPORTS: Scenario[] = [
  {
    name: 'problem-report-on-nothing',
    title: 'reports a problem on no thread of ours; the connection stays as it is',
    protocol: 'Report Problem 1.0',
    role: 'receiver',
    versions: ['1.7.0'],
    play: async (scene) => {
      const { acapy } = scene
      const { connection, walletConnectionId } = await connect(scene)
      await acapy.sendRaw(walletConnectionId, genericReport())
      await arrived(scene, 'notification/1.0/problem-report')
      await talkBothWays(scene, connection.id, walletConnectionId)
    },
  },
  {
    name: 'no-credential',
    title: 'has no credential for the request: it reports a problem, and the proof is abandoned',
    protocol: 'Report Problem 1.0',
    role: 'receiver',
    versions: BOTH,
    play: async (scene) => {
      const { acapy, agent } = scene
      const { request } = await connect(scene)
      // ACA-Py answers its own controller with a 500 while it reports to us.
      await present(acapy, request, {}).catch(() => {})
      await agent.proofIn(request, 'abandoned')
    },
  },
  {
    name: 'problem-report-on-offer',
    title: 'reports a problem on the thread of an offer, which is abandoned',
    protocol: 'Report Problem 1.0',
    role: 'receiver',
    versions: ['1.7.0'],
    play: async (scene) => {
      const { acapy, agent } = scene
      const { connection, walletConnectionId } = await connect(scene)
      const { ours } = await offered(scene, connection.id, plainCredential(await newHolderDid(acapy)))
      await acapy.sendRaw(walletConnectionId, genericReport({ '~thread': { thid: ours.threadId } }))
      await agent.credentialIn(ours, 'abandoned')
    },
  },
  {
    name: 'decline-offer',
    title: 'declines an offer',
    protocol: 'Issue Credential 2.0',
    role: 'issuer',
    versions: BOTH,
    play: async (scene) => {
      const { acapy, agent } = scene
      const { connection } = await connect(scene)
      const { ours, theirs } = await offered(scene, connection.id, plainCredential(await newHolderDid(acapy)))
      const path = `/issue-credential-2.0/records/${theirs.cred_ex_id}/problem-report`
      await acapy.post(path, { description: 'No, thank you' })
      await agent.credentialIn(ours, 'abandoned', 'declined')
    },
  },
  {
    name: 'decline-request',
    title: 'declines a proof request',
    protocol: 'Present Proof 2.0',
    role: 'verifier',
    versions: BOTH,
    play: async (scene) => {
      const { acapy, agent } = scene
      const { request } = await connect(scene)
      const { pres_ex_id: id } = await requested(acapy, request)
      await acapy.post(`/present-proof-2.0/records/${id}/problem-report`, { description: 'No, thank you' })
      const proof = await agent.proofIn(request, 'abandoned', 'declined')
      assert.match(proof.errorMessage, /No, thank you/)
    },
  },
  {
    name: 'problem-report-of-ours',
    title: 'sends a presentation that is none, and hears a problem report of ours',
    protocol: 'Present Proof 2.0',
    role: 'verifier',
    versions: ['1.7.0'],
    play: async (scene) => {
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
  },
]
