/** The end of a rotation: the pending DID takes the connection by its first message. */
import { expect, test } from 'vitest'
import { completeRotation } from '../../../../lib/agent/connections/did-rotation.ts'

const PENDING = '_internal/pendingTheirDid'

/** The other agent's DID after a message of the pending one. */
const afterMessage = async (isReady: boolean, keyFingerprints: string[]) => {
  const metadata = new Map([[PENDING, { did: 'did:example:new', keyFingerprints }]])
  const connection = { isReady, theirDid: 'did:example:old', previousTheirDids: [], metadata }
  const services = {
    findCreatedDidByRecipientKey: async () => null,
    storeReceivedDid: async () => undefined,
    update: async () => undefined,
  }
  const keys = { recipientKey: {}, senderKey: { fingerprint: 'new' } }
  const inbound = { agentContext: { resolve: () => services }, connection, ...keys, message: {} }
  await completeRotation(Object(inbound), async () => undefined)
  return connection.theirDid
}

test('of a key that it has named, and on a connection that was not ended meanwhile', async () => {
  expect(await afterMessage(true, ['other', 'new'])).toBe('did:example:new')
  expect(await afterMessage(true, ['other'])).toBe('did:example:old')
  expect(await afterMessage(false, ['new'])).toBe('did:example:old')
})
