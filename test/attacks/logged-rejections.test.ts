/** A message that is rejected with a problem report leaves one line in the log, without anything that its sender wrote. */
import { expect, test } from 'vitest'
import { connect, requestBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useTenantAndWallet } from '../support/stage/use-stage.ts'
import { didCommMessage } from '../support/wallets/didcomm-messages.ts'
import { useLogLines } from '../support/watch/log-lines.ts'
import { didExchangeRequest, peerDidOf } from '../wallet/handshake-requests.ts'
import { RawMessages } from '../wallet/raw-messages.ts'

const { stage, caller, wallet } = await useTenantAndWallet({ answerProofs: false })
const raw = new RawMessages(wallet)
const connected = await connect(stage, wallet, caller)
const lines = useLogLines()

const refused = () => lines.filter(({ event }) => event === 'inbound.refused')
const RETURN = { '~transport': { return_route: 'all' } }
const { proofRecordThId: thid } = connected.request

test.each<[string, Json, string]>([
  ['of no protocol that the agent has', didCommMessage('nothing/9.9/nothing'), 'message-parse-failure'],
  [
    'whose handler reports it',
    { ...didCommMessage('did-rotate/1.0/rotate'), to_did: 'did:example:secret' },
    'e.did.method_unsupported',
  ],
  ['that is no answer to its request', didCommMessage('present-proof/2.0/presentation', { thid }), 'abandoned'],
])('a message %s', async (_, message, error) => {
  const envelope = await raw.pack({ ...message, ...RETURN }, await raw.route(connected.walletConnectionId))
  const { endpoint } = await raw.route(connected.walletConnectionId)
  // The second one is a repetition, which is answered as the first one was.
  for (const _time of [1, 2])
    expect(await raw.postEnvelope(envelope, endpoint)).toMatchObject({
      status: 200,
      message: { '@type': expect.stringContaining('problem-report'), description: { code: error } },
    })
  expect(refused()).toMatchObject([{ level: 'info', tenant: caller.tenantId, error }])
  expect(JSON.stringify(lines)).not.toContain('secret')
})

test('an accepted message leaves none', async () => {
  expect((await raw.sendOn(connected.walletConnectionId, didCommMessage('trust_ping/1.0/ping'))).status).toBe(200)
  expect(
    (await raw.sendOn(connected.walletConnectionId, didCommMessage('notification/1.0/problem-report'))).status,
  ).toBe(200)
  expect(refused()).toEqual([])
})

test('one without a connection, to which no report is sent, leaves one line too', async () => {
  const { body } = await stage.call('createRequest', { caller, body: requestBody })
  const senderKey = await raw.newKey()
  const other = peerDidOf([await raw.newKey()], 'http://127.0.0.1:1')
  const request = didExchangeRequest(body.outOfBandRecord.outOfBandInvitation['@id'], other)
  expect((await raw.send(request, { ...(await raw.routeToDid(body.invitationDid)), senderKey })).status).toBe(400)
  expect(refused()).toMatchObject([{ error: 'DidExchangeProblemReportError' }])
})
