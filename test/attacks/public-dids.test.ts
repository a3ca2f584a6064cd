/** Requests to the DID of an agent, without an invitation: no caller can prevent their acceptance, or show them as an invitation. */
import { expect, test } from 'vitest'
import { createTenant } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useTenantAndWallet } from '../support/stage/use-stage.ts'
import { succeed } from '../support/tenants.ts'
import { didExchangeRequest, peerDidOf } from '../wallet/handshake-requests.ts'
import { keyOfBase58 } from '../wallet/raw-handshake.ts'
import { type RawAnswer, RawMessages } from '../wallet/raw-messages.ts'

interface Tenant {
  tenantId: string
}

const { stage, wallet } = await useTenantAndWallet()
const raw = new RawMessages(wallet)

const webDid = (caller: Tenant, domain?: string): Promise<Json> =>
  succeed(stage, 'createDid', caller, { body: { method: 'web', ...(domain !== undefined && { domain }) } })

/** An unknown sender requests a connection from the agent of a DID. */
const ask = async ({ did, didDocument }: Json): Promise<RawAnswer> => {
  const senderKey = await raw.newKey()
  const route = {
    endpoint: didDocument.service[0].serviceEndpoint,
    recipientKeys: [keyOfBase58(didDocument.verificationMethod[0].publicKeyBase58)],
    senderKey,
  }
  return raw.send(didExchangeRequest(did, peerDidOf([senderKey], 'http://127.0.0.1:1')), route)
}

const waiting = async (caller: Tenant): Promise<string[]> =>
  (await succeed(stage, 'getConnections', caller)).map(({ state }: Json) => state)

test('a tenant whose label is the DID of another gets no request of it', async () => {
  const [mallory, bank] = [await createTenant(stage), await createTenant(stage)]
  const domain = 'bank.example.org'
  expect((await ask(await webDid(mallory, domain))).status).toBe(200)
  expect((await ask(await webDid(bank, domain))).status).toBe(200)
  expect(await waiting(bank)).toEqual(['request-received'])
})

test('requests come after the record of earlier ones was deleted', async () => {
  const caller = await createTenant(stage)
  const own = await webDid(caller)
  expect((await ask(own)).status).toBe(200)
  const [record] = await succeed(stage, 'getOutOfBandRecords', caller)
  await succeed(stage, 'deleteOutOfBandRecord', caller, { path: { outOfBandId: record.id } })
  expect((await ask(own)).status).toBe(200)
  expect(await waiting(caller)).toEqual(['request-received', 'request-received'])
})

test('their record is not an invitation that a caller can read', async () => {
  const caller = await createTenant(stage)
  expect((await ask(await webDid(caller))).status).toBe(200)
  const [{ outOfBandInvitation }] = await succeed(stage, 'getOutOfBandRecords', caller)
  const oob = Buffer.from(JSON.stringify(outOfBandInvitation)).toString('base64url')
  for (const accept of ['text/html', 'application/json'])
    expect((await stage.call('showInvitation', { query: { oob }, headers: { accept } })).status).toBe(404)
})
