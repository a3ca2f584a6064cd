/** AnonCreds with as many attributes as a schema may have: offered, issued, stored, and sent in events, in items of allowed size. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { itemBytes } from '../../lib/store/item.ts'
import { MAX_ITEM_BYTES } from '../../lib/store/write.ts'
import { describeWithLibrary } from '../support/anoncreds/library.ts'
import { acceptOffer, offerToTenant, storedBy } from '../support/anoncreds/tenant-holder.ts'
import { type AnonCredsWorld, definitionOf, inTenant, startAnonCredsWorld } from '../support/anoncreds/world.ts'
import { createTenant } from '../support/scenes.ts'
import { itemsOf } from '../support/table/items.ts'
import { connectTenants } from '../support/tenants.ts'
import { type FaultyReceiver, startFaultyReceiver } from '../support/webhooks/faulty-receiver.ts'
import { waitFor } from '../wallet/wait.ts'
import { createKeys } from './made-keys.ts'

const COUNT = 125
const attributesWith = (times: number) =>
  Array.from({ length: COUNT }, (_, at) => ({ name: `attribute ${at}`, value: `value ${at} `.repeat(times) }))
const SHORT = attributesWith(2)
const LONG = attributesWith(30)

let world: AnonCredsWorld
let receiver: FaultyReceiver
let credentialDefinitionId: string

describeWithLibrary('AnonCreds with many attributes', () => {
  beforeAll(async () => {
    world = await startAnonCredsWorld()
    receiver = await startFaultyReceiver()
    const path = { orgId: world.caller.tenantId }
    await world.stage.call('registerWebhook', { path, body: { webhookUrl: receiver.url } })
    const attrNames = SHORT.map(({ name }) => name)
    const keys = createKeys(attrNames)
    credentialDefinitionId = (await definitionOf(world.caller.tenantId, { tag: 'wide', attrNames, keys }))
      .credentialDefinitionId
  })
  afterAll(async () => {
    await world.stop()
    await receiver.stop()
  })

  const largestItem = async (): Promise<number> => Math.max(...(await itemsOf(world.stage, '')).map(itemBytes))

  test(`a credential of ${COUNT} attributes goes to a wallet`, async () => {
    const { stage, caller, connectionId, wallet } = world
    const body = {
      connectionId,
      protocolVersion: 'v2',
      credentialFormats: { anoncreds: { credentialDefinitionId, attributes: SHORT } },
    }
    const { status, body: offer } = await stage.call('createOffer', { caller, body })
    expect(status).toBe(200)
    const path = { credentialRecordId: offer.id }
    const exchange = await waitFor('the credential exchange to be done', async () => {
      const { body: record } = await stage.call('getCredentialById', { caller, path })
      if (record.state === 'abandoned') throw new Error(record.errorMessage)
      return record.state === 'done' && record
    })
    expect(exchange.credentialAttributes).toHaveLength(COUNT)
    expect(wallet.journal.errors).toEqual([])
  })

  test('and to a tenant, which stores and finds it', async () => {
    const { stage, caller: issuer } = world
    const holder = await createTenant(stage, 'Holder')
    const { connectionId } = await connectTenants(stage, issuer, holder)
    const credentialFormats = { anoncreds: { credentialDefinitionId, attributes: LONG } }
    const { heldId } = await offerToTenant(stage, { issuer, holder, connectionId, credentialFormats })
    await acceptOffer(stage, holder, heldId)
    const exchange = await storedBy(stage, holder, heldId)
    expect(exchange.credentialAttributes).toHaveLength(COUNT)
    const found = await inTenant(holder.tenantId, ({ w3cCredentials }) => w3cCredentials.getAll())
    expect(found).toHaveLength(1)
  })

  test('an event carries all of it, and only its ids where the values are long', async () => {
    const ended = await waitFor('the events of the ends', () => {
      const events = receiver.received.map(({ body }) => JSON.parse(body))
      const done = events.filter(
        ({ type, data }) => type === 'credential.state_changed' && data.record.state === 'done',
      )
      return done.length === 2 && done
    })
    const [whole, truncated] = ended.map(({ data }) => data)
    expect(whole.record.credentialAttributes).toEqual(SHORT.map((one) => ({ 'mime-type': 'text/plain', ...one })))
    expect(truncated).toMatchObject({ truncated: true, record: { id: expect.any(String) } })
  })

  test('no item of it is larger than the table takes', async () => {
    const largest = await largestItem()
    expect(largest).toBeGreaterThan(25 * 1024)
    expect(largest).toBeLessThan(MAX_ITEM_BYTES)
  })
})
