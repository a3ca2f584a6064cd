/** Which connection a message belongs to, where several have its keys. */
import { expect, test } from 'vitest'
import { connectionOfKeys } from '../../../../lib/agent/connections/current-connection.ts'
import { transaction } from '../../../../lib/store/transaction.ts'
import { useTable } from '../../store/use-table.ts'

await useTable({ memory: true, check: false })

const THEIR_DID = 'did:example:theirs'

/** The id of the connection, oldest first. */
const connectionAmong = (connections: { id: string; isReady: boolean; theirDid?: string }[]) =>
  transaction('acme', async () => {
    const services = {
      DidRepository: {
        findCreatedDidByRecipientKey: async () => ({ did: 'did:example:ours' }),
        findByQuery: async () => [{ did: THEIR_DID, getTags: () => ({}) }],
      },
      DidCommConnectionRepository: {
        findByQuery: async () => connections.map((one) => ({ theirDid: THEIR_DID, previousTheirDids: [], ...one })),
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
