/** The setting of a delivery: a listening endpoint, an event for it and a clock, new before each test of a file. */

import { randomUUID } from 'node:crypto'
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest'
import { deliverLane } from '../../../lib/outbox/deliver-lane.ts'
import { QUICK_FOR } from '../../../lib/outbox/destinations/circuit-breaker.ts'
import { destinationItem } from '../../../lib/outbox/destinations/destination.ts'
import { type Lane, laneItem } from '../../../lib/outbox/lanes/lane.ts'
import type { Transport } from '../../../lib/outbox/message-lane.ts'
import { endpointDestination, laneAddress } from '../../../lib/outbox/wake-ups/keys.ts'
import type { LaneWakeUp } from '../../../lib/outbox/wake-ups/wake-up.ts'
import { toKey } from '../../../lib/store/table.ts'
import { organizationPartition } from '../../../lib/webhooks/endpoint-item.ts'
import { type NewEvent, pendingEvent, pendingEventItem } from '../../../lib/webhooks/event-item.ts'
import { eventLaneContents } from '../../../lib/webhooks/event-lane.ts'
import { type FaultyReceiver, startFaultyReceiver } from '../../support/webhooks/faulty-receiver.ts'
import { eventFor, type RegisteredEndpoint, registerAt, storeEvent } from '../../support/webhooks/webhook-scene.ts'
import { nameQueues, type SentWakeUps, watchQueues } from '../outbox/sent-wake-ups.ts'
import { type StartedTable, startTable } from '../store/started-table.ts'

type Values = Record<string, { S: string } | { N: string }>

interface Wanted {
  lane?: string
  reason?: LaneWakeUp['reason']
  random?: () => number
  transport?: Transport
}

/** A destination that has answered quickly at some time. */
export const quick = (destination: string) => ({ destination, version: 1, quickUntil: Date.now() + QUICK_FOR })

class DeliveryScene {
  table!: StartedTable
  queues!: SentWakeUps
  receiver!: FaultyReceiver
  endpoint!: RegisteredEndpoint
  event!: NewEvent
  /** Of the event. */
  lane!: string
  /** Ms since the epoch. */
  now = 0
  /** Of the log, on level debug. */
  lines: string[] = []

  get path() {
    return { orgId: this.endpoint.orgId, endpointId: this.endpoint.id }
  }

  async renew(): Promise<void> {
    this.now = Date.now()
    this.lines = []
    this.queues.clear()
    this.receiver = await startFaultyReceiver()
    this.endpoint = await registerAt(`${this.receiver.url}/hook`)
    this.event = eventFor(this.endpoint)
    this.lane = await storeEvent(this.event)
    await this.table.put(destinationItem.encode(quick(endpointDestination(this.endpoint.id))))
  }

  /** One delivery of the event's lane. */
  deliver({ lane = this.lane, reason = { kind: 'committed' }, random = () => 0.5, transport }: Wanted = {}) {
    return deliverLane(
      { lane, reason },
      {
        now: () => this.now,
        random,
        newId: randomUUID,
        pause: async () => {},
        after: () => () => {},
        startUntil: this.now + 60_000,
        queue: 'slow',
        contentsOf: (name) => eventLaneContents(name, transport),
      },
    )
  }

  /** The next one when it is due; false where the lane waits for no time. */
  async deliverWhenDue(changes: Wanted = {}): Promise<boolean> {
    const { dueAt } = (await this.laneState(changes.lane)) ?? {}
    if (dueAt === undefined) return false
    this.now = Math.max(this.now, dueAt)
    await this.deliver({ ...changes, reason: { kind: 'due', at: dueAt } })
    return true
  }

  /** Undefined for a lane that has nothing to do. */
  async laneState(lane = this.lane): Promise<Lane | undefined> {
    const item = await this.table.get(laneAddress(lane))
    return item && laneItem.decode(item)
  }

  /** Changes the event in its lane, unknown to the sender. */
  changeEvent(values: Values): Promise<unknown> {
    return this.#change(pendingEventItem.addressOf(pendingEvent(this.event, '')), values)
  }

  /** Changes the item of the endpoint, unknown to the sender. */
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
    nameQueues()
    scene.table = await startTable({ memory: true })
    scene.queues = watchQueues()
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
