/** What a delivery is tried with: an endpoint that listens, an event for it and a clock, anew before each test of a file. */
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest'
import type { Verdict } from '../../../lib/delivery/deliver-groups.ts'
import { organizationPartition } from '../../../lib/store/keys.ts'
import { toKey } from '../../../lib/store/table.ts'
import { deliverToEndpoint, type EndpointDelivery } from '../../../lib/webhooks/deliver-to-endpoint.ts'
import { eventAddress, type NewEvent } from '../../../lib/webhooks/event-item.ts'
import { type FaultyReceiver, startFaultyReceiver } from '../../support/faulty-receiver.ts'
import { eventFor, type RegisteredEndpoint, registerAt, storeEvent } from '../../support/webhook-scene.ts'
import { type StartedTable, startTable } from '../store/started-table.ts'

type Values = Record<string, { S: string } | { N: string }>

class DeliveryScene {
  table!: StartedTable
  receiver!: FaultyReceiver
  endpoint!: RegisteredEndpoint
  event!: NewEvent
  /** Of the event's message in the queue. */
  body!: string
  /** Ms since the epoch. */
  now = 0
  /** Of the log, on level debug. */
  lines: string[] = []

  async renew(): Promise<void> {
    this.now = Date.now()
    this.lines = []
    this.receiver = await startFaultyReceiver()
    this.endpoint = await registerAt(`${this.receiver.url}/hook`)
    this.event = eventFor(this.endpoint)
    this.body = await storeEvent(this.event)
  }

  deliver(changes: Partial<EndpointDelivery> = {}): Promise<Verdict> {
    return deliverToEndpoint({ body: this.body, receipt: 1, clock: () => this.now, random: () => 0.5, ...changes })
  }

  /** Changes the item of the event behind the sender's back. */
  changeEvent(values: Values): Promise<unknown> {
    return this.#change(eventAddress(this.event), values)
  }

  /** Changes the item of the endpoint behind the sender's back. */
  changeEndpoint(values: Values): Promise<unknown> {
    return this.#change({ pk: organizationPartition(this.endpoint.orgId), sk: this.endpoint.kind }, values)
  }

  #change(address: { pk: string; sk: string }, values: Values): Promise<unknown> {
    const entries = Object.entries(values)
    return this.table.dynamo.client.send(
      new UpdateItemCommand({
        TableName: this.table.dynamo.table,
        Key: toKey(address),
        UpdateExpression: `SET ${entries.map(([name]) => `#${name} = :${name}`).join(', ')}`,
        ExpressionAttributeNames: Object.fromEntries(entries.map(([name]) => [`#${name}`, name])),
        ExpressionAttributeValues: Object.fromEntries(entries.map(([name, value]) => [`:${name}`, value])),
      }),
    )
  }
}

/** The scene of a file's tests. At the end no line of the log holds a secret, a signature or a content. */
export const deliveryScene = (): DeliveryScene => {
  const scene = new DeliveryScene()
  beforeAll(async () => {
    process.env.LOG_LEVEL = 'debug'
    vi.spyOn(console, 'log').mockImplementation((line) => scene.lines.push(String(line)))
    scene.table = await startTable()
  })
  beforeEach(() => scene.renew())
  afterEach(async () => {
    scene.table.way = undefined
    await scene.receiver.stop()
    expect(scene.lines.filter((line) => /whsec_|v1,|text-of-the/.test(line))).toEqual([])
  })
  afterAll(() => scene.table.stop())
  return scene
}
