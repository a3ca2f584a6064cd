/** One request to DynamoDB fails, at every place where one is made: a retry leaves no trace of the failure. */
import { randomUUID } from 'node:crypto'
import { paginateScan } from '@aws-sdk/client-dynamodb'
import { beforeAll, describe, expect, test } from 'vitest'
import { OPERATIONS } from '../../lib/interface/operations.ts'
import { useQuickKeys } from '../support/anoncreds/quick-keys.ts'
import { exampleOf } from '../support/calls/all.ts'
import { CallScene } from '../support/calls/call-scene.ts'
import { callInProcess } from '../support/calls/in-process.ts'
import { FULL } from '../support/depth.ts'
import { connect, createTenant, issueDegree } from '../support/scenes.ts'
import { contractOf } from '../support/source/operation-functions.ts'
import type { Call } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { FAULTS, type Fault, StoreFaults } from '../support/table/store-fault.ts'
import { checkTable } from '../support/table/table-checker.ts'
import { trustIssuer } from '../support/webhooks/organization-endpoints.ts'
import { waitFor } from '../wallet/wait.ts'
import { Wallet } from '../wallet/wallet.ts'

const issuer = await trustIssuer()
const stage = await useStage({ delivers: false })
const faults = new StoreFaults(stage.serviceClient)
await useQuickKeys()
stage.line.run()
/** A wallet that accepts every message and sends nothing automatically: that would interfere with a test. */
const silent = await useWallet({ acceptOffers: false, answerProofs: false })
const call = callInProcess(stage, issuer)
const scene = await CallScene.start(call, silent)
stage.onEnvelope(async (handle) => {
  await taking
  const handling = handle().finally(() => taken.delete(handling))
  taken.add(handling)
  return handling
})

/** Without the endpoint for other agents, whose senders retry: see below. */
const CALLS: [string, () => Promise<Call>][] = [
  ...OPERATIONS.filter(({ operationId }) => operationId !== 'ReceiveDidcomm').map(
    ({ operationId }): [string, () => Promise<Call>] => [operationId, () => callOf(operationId)],
  ),
  // Without a token, for an organization that exists.
  [
    'RegisterNotificationWebhook',
    async () => {
      const { tenantId: orgId } = await scene.newTenant()
      const body = { orgId, notificationWebhook: 'https://example.com/hook' }
      return { body, headers: { authorization: '', 'idempotency-key': randomUUID() } }
    },
  ],
]

/** A new call each time, so that its effect is its own. */
const callOf = async (operationId: string): Promise<Call> => {
  const { asked, caller } = await exampleOf(operationId, scene)
  return { ...asked, caller, headers: { ...asked.headers, 'idempotency-key': randomUUID() } }
}

/** How many items the table has of each kind that an operation of ours makes, by record type. */
const census = async (): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {}
  const looked = { TableName: stage.table, ProjectionExpression: 'kind, pk' }
  for await (const { Items = [] } of paginateScan({ client: stage.client }, looked))
    for (const { kind, pk } of Items) {
      // Decoys lie at random indexes, and mean nothing.
      if (kind?.S === 'decoy') continue
      const of = kind?.S === 'record' || kind?.S === 'entry' ? `${kind.S} ${pk?.S?.split('|')[1]}` : `${kind?.S}`
      counts[of] = (counts[of] ?? 0) + 1
    }
  return counts
}

const difference = (after: Record<string, number>, before: Record<string, number>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(after)
      .map(([of, count]) => [of, count - (before[of] ?? 0)] as const)
      .filter(([, more]) => more !== 0),
  )

/** Resolved while the service accepts envelopes: the wallet answers at any time. */
let taking = Promise.resolve()
const taken = new Set<Promise<unknown>>()

/** The changes of a call that `run` makes; no other work runs meanwhile. */
const effectOf = async (
  made: Call,
  run: (made: Call) => Promise<void>,
  look = census,
): Promise<Record<string, number>> => {
  await stage.line.pause()
  const { promise, resolve } = Promise.withResolvers<void>()
  taking = promise
  await Promise.allSettled(taken)
  try {
    const before = await look()
    await run(made)
    return difference(await look(), before)
  } finally {
    resolve()
    stage.line.run()
  }
}

const isReading = (operationId: string): boolean =>
  OPERATIONS.some((contract) => contract.operationId === operationId && contract.method === 'GET')

/**
 * The pipeline handles all errors of the store alike, and repeats answers: a reading and a writing operation test all of that. Every other
 * operation tests only how it handles a failed request.
 */
const faultsOf = (operationId: string): [string, Fault][] =>
  Object.entries(FAULTS).filter(
    ([name, { worked }]) =>
      name === 'times out' ||
      (FULL && worked && !isReading(operationId)) ||
      ['GetCredentialById', 'CreateOffer'].includes(operationId),
  )

describe.each(CALLS)('%s', (operationId, newCall) => {
  let effect: Record<string, number> = {}

  beforeAll(async () => {
    if (isReading(operationId)) return
    // The first call makes what an agent makes once.
    const succeeds = async (made: Call): Promise<void> => {
      const { status, body } = await call(operationId, made)
      expect(status, JSON.stringify(body)).toBeLessThan(300)
    }
    await succeeds(await newCall())
    effect = await effectOf(await newCall(), succeeds)
  })

  test.each(faultsOf(operationId))(
    'has no effect, or its whole effect, when a request %s, and succeeds when it is tried again',
    async (_name, fault) => {
      // The role of a reading one does not let it write.
      const look = isReading(operationId) ? async () => ({}) : census
      const tryAll = async (made: Call): Promise<void> => {
        for (let at = 1; ; at++) {
          const { result, injected } = await faults.inject(at, fault, () => call(operationId, made))
          // A request after the commit may fail: the effect is complete.
          if (!injected || result.status < 300) return expect(result.status, `request ${at}`).toBeLessThan(300)
          const error = contractOf(operationId).errors === 'oauth' ? 'temporarily_unavailable' : 'Service Unavailable'
          expect(result, `request ${at}`).toMatchObject({ status: 503, body: { error } })
        }
      }
      expect(await effectOf(await newCall(), tryAll, look)).toEqual(effect)
    },
  )
})

test('they leave a consistent table', async () => {
  expect(await checkTable(stage.client, stage.table)).toEqual([])
})

describe.each(Object.entries(FAULTS).filter(([name]) => FULL || name.startsWith('times out')))(
  'when a request %s',
  (_name, fault) => {
    test('an inbound message is handled once, however often its sender must try', async () => {
      stage.onEnvelope((handle) => faults.untilNoneIsLeft(fault, handle))
      const caller = await createTenant(stage)
      const holder = await Wallet.start()
      const { connectionId, walletConnectionId, request } = await connect(stage, holder, caller)
      await holder.sendMessage(walletConnectionId, 'once')
      await issueDegree(stage, holder, connectionId, caller)
      const { body: messages } = await stage.call('tenantGetBasicMessages', {
        caller,
        path: { connectionId, ...caller },
      })
      expect(messages.map(({ content }: { content: string }) => content)).toEqual(['once'])
      const proof = { ...caller, proofRecordId: request.proofRecordId }
      await waitFor('the proof to be done', async () => {
        const { body } = await stage.call('tenantProofFormData', { caller, path: proof })
        return body.state === 'done'
      })
      expect(holder.journal.errors).toEqual([])
      expect(await checkTable(stage.client, stage.table)).toEqual([])
      await holder.stop()
    })
  },
)
