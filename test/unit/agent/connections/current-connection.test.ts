/** Which connection a message belongs to, where several have its keys. */
import { expect, test } from 'vitest'
import { connectionOfKeys } from '../../../../lib/agent/connections/current-connection.ts'
import { transaction } from '../../../../lib/store/transaction.ts'
import { useTable } from '../../store/use-table.ts'

await useTable({ memory: true, check: false })

const THEIR_DID = 'did:example:theirs'
const SOUND = {
  ...{ did: 'did:example:ours', previousDids: [], theirDid: THEIR_DID, previousTheirDids: [] },
  createdAt: new Date(0),
}

interface Connection {
  id: string
  isReady: boolean
  did?: string
  previousDids?: string[]
  theirDid?: string
  createdAt?: Date
}

/** The id of the connection, of the newest ones of our DID and of those with the sender's DID, oldest first. */
const connectionAmong = (newest: Connection[], ofSender: Connection[] = [], hasOlder = true) =>
  transaction('acme', async (unit) => {
    unit.hasOlder = () => hasOlder
    const services = {
      DidRepository: {
        findCreatedDidByRecipientKey: async () => ({ did: 'did:example:ours' }),
        findByQuery: async () => [{ did: THEIR_DID, getTags: () => ({}), getTag: () => undefined }],
      },
      DidCommConnectionRepository: {
        findByQuery: async (_: unknown, { $or: [first] }: { $or: object[] }) =>
          ('did' in Object(first) ? newest : ofSender).map((one) => ({ ...SOUND, ...one })),
      },
    }
    const resolve = ({ name }: { name: keyof typeof services }) => services[name]
    const keys = { senderKey: { fingerprint: 'theirs' }, recipientKey: { fingerprint: 'ours' } }
    return (await connectionOfKeys(Object({ contextCorrelationId: 'acme', resolve }), Object(keys)))?.id
  })

test('the last one that is ready and has the DID of the sender', async () => {
  const ready = ['first', 'second'].map((id) => ({ id, isReady: true }))
  const others = [
    { id: 'waiting', isReady: false },
    { id: 'other', isReady: true, theirDid: 'did:example:other' },
  ]
  expect(await connectionAmong([...ready, ...others])).toBe('second')
  expect(await connectionAmong(others)).toBeUndefined()
})

test('one that is not among the newest of our DID, where there are older ones', async () => {
  const other = { id: 'other', isReady: true, theirDid: 'did:example:other' }
  expect(await connectionAmong([other], [{ id: 'old', isReady: true }])).toBe('old')
  expect(await connectionAmong([other], [{ id: 'old', isReady: true }], false)).toBeUndefined()
  const both = [1, 2].map((time) => ({ id: String(time), isReady: true, createdAt: new Date(time) }))
  expect(await connectionAmong([], both)).toBe('2')
  expect(await connectionAmong([], both.toReversed())).toBe('2')
})

test('one that has, or had, the DID to whose key the message was sent, and not another of the same sender', async () => {
  const another = { id: 'another', isReady: true, did: 'did:example:another' }
  expect(await connectionAmong([], [another])).toBeUndefined()
  expect(await connectionAmong([], [{ ...another, previousDids: ['did:example:ours'] }])).toBe('another')
})
