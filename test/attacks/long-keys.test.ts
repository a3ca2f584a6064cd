/** Base58 takes quadratic time: what other agents write in it is bounded where it comes in, and not in Credo's own functions. */
import { MultiBaseEncoder, TypedArrayEncoder } from '@credo-ts/core'
import { expect, test } from 'vitest'
import { signatureSuites } from '../../lib/agent/formats/json-ld/signature-suites.ts'
import { base58Time } from '../support/base58-time.ts'
import { processorTime } from '../support/processor-time.ts'
import { connect, requestBody } from '../support/scenes.ts'
import { useTenantAndWallet } from '../support/stage/use-stage.ts'
import { changesSince, recordsInTable } from '../support/table/records-in-table.ts'
import { succeed } from '../support/tenants.ts'
import { didCommMessage } from '../support/wallets/didcomm-messages.ts'
import { didExchangeRequest } from '../wallet/handshake-requests.ts'
import { legacyDocument, RawHandshake, unqualifiedDid } from '../wallet/raw-handshake.ts'
import { RawMessages } from '../wallet/raw-messages.ts'

const ENCODERS = [TypedArrayEncoder, MultiBaseEncoder]
const functions = (): unknown[] =>
  ENCODERS.flatMap((encoder) => Object.getOwnPropertyNames(encoder).map((name) => Object(encoder)[name]))
const ofCredo = functions()

const { stage, caller, wallet } = await useTenantAndWallet()
const raw = new RawMessages(wallet)
const handshake = new RawHandshake(wallet, raw)
const invite = async () => (await stage.call('createRequest', { caller, body: requestBody })).body

/** A message that is rejected takes a twentieth. */
const AT_ONCE = base58Time()

test("the agent leaves Credo's encoders unchanged", async () => {
  await invite()
  expect(functions()).toEqual(ofCredo)
})

test.each<[string, (did: string) => object]>([
  ['many services', () => ({ service: Array.from({ length: 20 }, (_, n) => serviceOf(n, 'x'.repeat(4_000))) })],
  ['a long key', (did) => ({ publicKey: [{ id: `${did}#1`, publicKeyBase58: 'z'.repeat(80_000) }] })],
])('a request with a document of %s is rejected immediately, and writes nothing', async (_, more) => {
  const { invitation } = await invite()
  const senderKey = await handshake.newKey()
  const did = unqualifiedDid(senderKey)
  const document = { ...legacyDocument(did, senderKey, 'http://127.0.0.1:1'), ...more(did) }
  const spent = processorTime()
  const before = await recordsInTable(stage)
  const { status, message } = await handshake.request(invitation, { did, senderKey, document, version: '1.0' })
  expect([400, 'https://didcomm.org/didexchange/1.1/problem-report']).toContain(message?.['@type'] ?? status)
  expect(
    changesSince(before, await recordsInTable(stage)).filter((one) => !/message|inbound/.test(JSON.stringify(one))),
  ).toEqual([])
  expect(spent()).toBeLessThan(AT_ONCE)
})

const serviceOf = (number: number, path: string) => ({
  id: `#${number}`,
  type: 'IndyAgent',
  priority: number,
  recipientKeys: [],
  serviceEndpoint: `http://127.0.0.1:1/${path}`,
})

const JWK = { kty: 'RSA', e: 'AQAB', n: 'A'.repeat(80_000) }

test.each(['status-request', 'delivery-request'])('a %s for a key without end is refused at once', async (name) => {
  const { walletConnectionId } = await connect(stage, wallet, caller)
  const message = { ...didCommMessage(`messagepickup/2.0/${name}`), recipient_key: 'z'.repeat(80_000) }
  const spent = processorTime()
  expect((await raw.sendOn(walletConnectionId, message)).status).toBe(400)
  expect(spent()).toBeLessThan(AT_ONCE)
})

test.each([
  ['did:key', `did:key:z6Mk${'z'.repeat(80_000)}`],
  ['did:jwk', `did:jwk:${Buffer.from(JSON.stringify(JWK)).toString('base64url')}`],
])('a %s of extreme length is rejected immediately', async (_, did) => {
  const { invitation, invitationDid } = await invite()
  const way = { ...(await raw.routeToDid(invitationDid)), senderKey: await raw.newKey() }
  const spent = processorTime()
  expect((await raw.send(didExchangeRequest(invitation['@id'], did), way)).status).toBe(400)
  expect(spent()).toBeLessThan(AT_ONCE)
})

test.each([
  ['did:key', `did:key:z6Mk${'z'.repeat(4_000)}`],
  ['did:jwk', `did:jwk:${Buffer.from(JSON.stringify({ ...JWK, n: 'A'.repeat(2_900) })).toString('base64url')}`],
])('a caller resolves a long %s in a short time', async (_, did) => {
  const spent = processorTime()
  await succeed(stage, 'resolveDid', caller, { path: { did } }).catch(() => {})
  expect(spent()).toBeLessThan(AT_ONCE)
})

test('a signature in base58 of extreme length is rejected immediately, under any alias', async () => {
  const { suiteClass: Suite } = signatureSuites().getByProofType('Ed25519Signature2020')
  const suite = new Suite({})
  const spent = processorTime()
  await expect(suite.verifySignature({ proof: { proofValue: `z${'z'.repeat(80_000)}` } })).rejects.toThrow('too long')
  expect(spent()).toBeLessThan(AT_ONCE)
})
