/** The mark of a handled message: whatever brings the message again gets its answer, and no other message does. */
import { AgentContext, CredoError, DependencyManager, Kms } from '@credo-ts/core'
import { DidCommInboundMessageContext, DidCommTrustPingMessage } from '@credo-ts/didcomm'
import { beforeEach, expect, test, vi } from 'vitest'
import { packEnvelope } from '../../../../lib/agent/envelopes/pack-envelope.ts'
import { handleOnce, markMessage, respondWith, skipMark } from '../../../../lib/agent/inbound/inbox.ts'
import { AgentError } from '../../../../lib/errors.ts'
import { generateJwk } from '../../../../lib/keys/key-pair.ts'
import { currentUnit } from '../../../../lib/store/transaction.ts'
import { failure } from '../../store/started-table.ts'
import { useTable } from '../../store/use-table.ts'

const table = await useTable({ memory: true })

/** In seconds. */
const DAY = 24 * 60 * 60

const keyPair = () => {
  const key = Kms.PublicJwk.fromUnknown(Kms.publicJwkFromPrivateJwk(generateJwk('Ed25519')))
  if (!key.is(Kms.Ed25519PublicJwk)) throw new TypeError('not an Ed25519 key')
  return key
}
type Key = ReturnType<typeof keyPair>

const agentContext = new AgentContext({ contextCorrelationId: 'acme', dependencyManager: new DependencyManager() })
const [ours, other, alice, bob] = [keyPair(), keyPair(), keyPair(), keyPair()]

const handler = vi.fn<() => Promise<void>>(async () => undefined)
beforeEach(() => {
  handler.mockReset()
  table.way = undefined
})

interface Received {
  id: string
  from?: Key | undefined
  /** The key that opens the envelope, and those that it names. */
  to?: Key
  recipients?: Key[]
  tenant?: string
}

/** Receives a ping, which is answered by `answer`. */
const receive = (
  { id, from, to = ours, recipients = [to], tenant = 'acme' }: Received,
  answer: string,
): Promise<string> =>
  handleOnce(
    tenant,
    async () => {
      const encryptedMessage = packEnvelope({ '@id': id }, recipients)
      const context = { agentContext, recipientKey: to, ...(from && { senderKey: from }), encryptedMessage }
      await markMessage(new DidCommInboundMessageContext(new DidCommTrustPingMessage({ id }), context), handler)
      return respondWith(answer)
    },
    (stored) => stored,
  )

const rejected = { code: 'request.malformed' }

test('a repeated message gets its first response, even with other content', async () => {
  expect(await receive({ id: 'repeated', from: alice }, 'first')).toBe('first')
  expect(await receive({ id: 'repeated', from: alice }, 'second')).toBe('first')
  const mark = (await table.items()).find(({ kind }) => kind?.S === 'mark')
  expect(Math.round(Number(mark?.expiresAt?.N) / DAY - Date.now() / 1000 / DAY)).toBe(7)
})

test('a message that is received several times concurrently has one response', async () => {
  const received = ['a', 'b', 'c', 'd'].map((answer) => receive({ id: 'concurrent', from: alice }, answer))
  expect(new Set(await Promise.all(received)).size).toBe(1)
})

test.each(['GetItem', 'PutItem'])(
  'a message does not count as unhandled if AWS rejects %s',
  async (rejectedCommand) => {
    let rejections = 1
    table.way = async (command, send) => {
      if (command === rejectedCommand && rejections-- > 0) throw failure('AccessDeniedException')
      await send()
    }
    handler.mockImplementation(async () => void (await currentUnit().get({ pk: 'any', sk: '~' })))
    const again = () => receive({ id: rejectedCommand, from: alice }, 'answer')
    await expect(again()).rejects.toMatchObject({ name: 'AccessDeniedException' })
    expect(await again()).toBe('answer')
  },
)

test('a response that is too large for one item is complete the second time', async () => {
  const answer = 'x'.repeat(700 * 1024)
  const message = { id: 'large', from: alice }
  expect(await receive(message, answer)).toHaveLength(answer.length)
  expect(await receive(message, '')).toHaveLength(answer.length)
})

test.each<[string, Partial<Received>]>([
  ['of another sender', { from: bob }],
  ['of an unknown sender', { from: undefined }],
  ['to another tenant', { tenant: 'globex' }],
])('a message %s with the same id is another one', async (which, changes) => {
  const message = { id: `same ${which}`, from: alice }
  expect(await receive(message, 'to Alice')).toBe('to Alice')
  expect(await receive({ ...message, ...changes }, 'to the other')).toBe('to the other')
  expect(handler).toHaveBeenCalledTimes(2)
})

test('an anonymous message is known by its id and the keys that it was sent to, whichever of them decrypts it', async () => {
  const message = { id: 'anonymous', recipients: [ours, other] }
  expect(await receive(message, 'first')).toBe('first')
  expect(await receive({ ...message, to: other }, 'second')).toBe('first')
  expect(await receive({ id: 'anonymous', to: other }, 'to the other key')).toBe('to the other key')
  expect(await receive({ ...message, recipients: [ours] }, 'to ours alone')).toBe('to ours alone')
})

test('a repeated message gets its response although no handler expects it any more', async () => {
  const message = { id: 'unexpected', from: alice }
  await receive(message, 'answer')
  handler.mockRejectedValue(new CredoError('there is no such connection'))
  expect(await receive(message, 'never given')).toBe('answer')
  await expect(receive({ ...message, from: bob }, 'never given')).rejects.toMatchObject(rejected)
})

test('a repeated message gets its response although the queue for responses is full', async () => {
  const message = { id: 'no room', from: alice }
  await receive(message, 'answer')
  handler.mockRejectedValue(new AgentError('connection.queue_full', 'too many messages wait'))
  expect(await receive(message, 'never given')).toBe('answer')
  await expect(receive({ ...message, from: bob }, 'never given')).rejects.toMatchObject({
    code: 'connection.queue_full',
  })
})

test('a message that was rejected leaves no mark, and is handled when it is repeated', async () => {
  const message = { id: 'early', from: alice }
  handler.mockRejectedValueOnce(new CredoError('not yet'))
  await expect(receive(message, 'never given')).rejects.toMatchObject(rejected)
  expect(await receive(message, 'now')).toBe('now')
})

test('a message of too many gets a retry response, without a request to the table', async () => {
  handler.mockRejectedValue(new AgentError('quota.exceeded', 'too many'))
  table.watch()
  await expect(receive({ id: 'too many', from: alice }, 'never given')).rejects.toMatchObject({
    code: 'quota.exceeded',
  })
  expect(table.requests).toEqual([])
})

test('a message is handled after up to ten conflicts, because its sender may never send it again', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const conflicts = (number: number) => {
    for (let time = 0; time < number; time++) handler.mockRejectedValueOnce(new AgentError('store.conflict', 'changed'))
  }
  conflicts(10)
  expect(await receive({ id: 'ten conflicts', from: alice }, 'answer')).toBe('answer')
  conflicts(11)
  const tooMany = receive({ id: 'eleven conflicts', from: alice }, 'never given')
  await expect(tooMany).rejects.toMatchObject({ code: 'store.conflict' })
  vi.restoreAllMocks()
})

test('an envelope that cannot be decrypted is rejected without a request to the table', async () => {
  await receive({ id: 'opened before', from: alice }, 'answer')
  table.watch()
  const open = async (): Promise<string> => {
    throw new CredoError('the envelope cannot be decrypted')
  }
  await expect(handleOnce('acme', open, String)).rejects.toMatchObject(rejected)
  expect(table.requests).toEqual([])
})

test('a message that changes nothing leaves no mark, and gets a new response', async () => {
  handler.mockImplementation(async () => skipMark())
  const message = { id: 'status', from: alice }
  expect(await receive(message, 'none')).toBe('none')
  expect(await receive(message, 'one')).toBe('one')
})

test('a message is marked by one item', async () => {
  table.watch()
  await receive({ id: 'one item', from: alice }, 'answer')
  expect(table.writes).toEqual([1])
})
