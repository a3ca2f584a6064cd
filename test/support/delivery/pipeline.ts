/** Outbound delivery in small, stepped by a test, with a failure at any call of AWS: the process dies, or the call fails or succeeds in part. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { type AttributeValue, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { vi } from 'vitest'
import { sqs, sqsOnce } from '../../../lib/outbox/wake-ups/queues.ts'
import { dynamodb } from '../../../lib/store/client.ts'
import { useLeanTransport } from '../aws/lean-transport.ts'
import { placesToTry } from '../depth.ts'
import { CREDENTIALS, REGION } from '../table/dynamo.ts'
import { startMemoryDynamo } from '../table/memory-dynamo.ts'
import { withOpenStack } from '../table/open-stack.ts'
import { DeliveryLine } from './line.ts'
import { startDeliveryQueues } from './queues.ts'

type Item = Record<string, AttributeValue>

/**
 * What happens to one call of AWS: the process dies, or the call fails; before it is sent, or after it took effect. Or a batch is accepted but
 * for its first entry.
 */
export interface InjectedFailure {
  /** From 1, counted over all calls of the functions. */
  call: number
  kind: 'dies' | 'fails' | 'refuses the first entry'
  when: 'before' | 'after'
}

/** A function that runs; once dead, none of its calls goes out or comes back. */
interface Invocation {
  dead: boolean
  die(): void
}

const running = new AsyncLocalStorage<Invocation>()
const never = new Promise<never>(() => {})

const READS = new Set(['GetItemCommand', 'BatchGetItemCommand', 'QueryCommand'])

/** Calls of a run without a failure (`placesToTry`), by name, with each kind of failure. After a read is before the next call. */
export const failuresOf = (names: string[]): InjectedFailure[] =>
  placesToTry(names).flatMap((index) =>
    (['dies', 'fails'] as const).flatMap((kind) =>
      (['before', 'after'] as const)
        .filter((when) => when === 'before' || !READS.has(names[index] ?? ''))
        .map((when) => ({ call: index + 1, kind, when })),
    ),
  )

/** Starts table and queues and points the functions' settings to them. One at a time in a process: the clients are made once. */
export const startPipeline = async () => {
  const dynamo = startMemoryDynamo()
  const queues = await startDeliveryQueues()
  Object.assign(process.env, {
    TABLE_NAME: dynamo.table,
    DYNAMODB_ENDPOINT: dynamo.endpoint,
    PUBLIC_URL: 'http://127.0.0.1',
    LOCAL_STAGE: 'true',
    LOG_LEVEL: 'debug',
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  })

  const calls: { name: string; input: unknown }[] = []
  let failure: InjectedFailure | undefined

  /** Every call of the two clients goes through here. */
  const pass = async <T extends { output: object }>(
    name: string,
    input: object,
    send: (input: object) => Promise<T>,
  ): Promise<T> => {
    const invocation = running.getStore()
    // The test's own.
    if (invocation === undefined) return send(input)
    if (invocation.dead) return never
    calls.push({ name, input })
    const struck = failure?.call === calls.length ? failure : undefined
    const strike = (): Promise<never> => {
      if (struck?.kind === 'fails')
        return Promise.reject(Object.assign(new Error(`call ${calls.length} fails`), { name: 'TimeoutError' }))
      invocation.die()
      return never
    }
    if (struck?.kind === 'refuses the first entry' && 'Entries' in input && Array.isArray(input.Entries)) {
      const [first, ...others] = input.Entries
      const answer = await send({ ...input, Entries: others })
      const Failed = [{ Id: first.Id, Code: 'InternalError', SenderFault: false }]
      return { ...answer, output: { ...answer.output, Failed } }
    }
    if (struck?.when === 'before') return strike()
    const answer = await send(input)
    return struck?.when === 'after' ? strike() : answer
  }
  dynamo.watch(dynamodb())
  useLeanTransport(sqs())
  // The types of the two clients' stacks differ only in details without effect here.
  for (const client of [withOpenStack(dynamodb()), sqs(), sqsOnce()])
    (client.middlewareStack as ReturnType<typeof dynamodb>['middlewareStack']).add(
      (next, { commandName = '' }) =>
        (args) =>
          pass(commandName, args.input, (input) => next({ ...args, input: Object.assign(args.input, input) })),
      { step: 'initialize' },
    )

  /** Runs a function as Lambda would; undefined when its process ended first. */
  const invoke = <T>(run: () => Promise<T>): Promise<T | undefined> => {
    const died = Promise.withResolvers<undefined>()
    const invocation: Invocation = {
      dead: false,
      die() {
        this.dead = true
        died.resolve(undefined)
      },
    }
    return Promise.race([running.run(invocation, run), died.promise])
  }

  const line = await DeliveryLine.start(dynamo, queues, invoke)

  /** Lets time pass for leases, delays and visibility timeouts: they all go by this clock. The sweep runs once a minute. */
  const passTime = async (milliseconds: number): Promise<void> => {
    const before = Date.now()
    vi.setSystemTime(before + milliseconds)
    if (Math.floor(Date.now() / 60_000) !== Math.floor(before / 60_000)) await line.sweep()
  }

  return {
    /** Calls that the functions made since the last `plan`. */
    calls,
    /** Restarts the count of calls, with or without a planned failure. */
    plan(next?: InjectedFailure): void {
      calls.length = 0
      failure = next
    },
    put: (item: Item) => dynamo.client.send(new PutItemCommand({ TableName: dynamo.table, Item: item })),
    read: async ({ pk = { S: '' }, sk = { S: '' } }: Item): Promise<Item | undefined> =>
      (await dynamo.client.send(new GetItemCommand({ TableName: dynamo.table, Key: { pk, sk }, ConsistentRead: true })))
        .Item,
    dispatch: () => line.dispatch(),
    deliver: (batchSize?: number) => line.deliver(batchSize),
    /** Dispatches and delivers until `done`, or until there has been no work for ten minutes of virtual time. Needs a fake `Date`. */
    settle: async (done?: () => Promise<boolean>, batchSize = 1): Promise<void> => {
      for (let idle = 0, round = 0; idle < 40; round++) {
        if (round > 20_000) throw new Error('the pipeline did not settle')
        const moved = (await line.dispatch()) + (await line.deliver(batchSize))
        if (await done?.()) return
        if (moved === 0 && done === undefined && queues.waiting() === 0 && idle > 6) return
        idle = moved > 0 ? 0 : idle + 1
        if (moved === 0) await passTime(idle < 3 ? 2_000 : idle < 15 ? 20_000 : 3_600_000)
      }
    },
    dead: () => queues.dead(),
    stop: async () => {
      await line.stop()
      await queues.stop()
      await dynamo.stop()
    },
  }
}
