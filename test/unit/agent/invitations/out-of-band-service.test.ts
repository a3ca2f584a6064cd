/** Services of an invitation are alternatives, also for answers without a connection. */
import type { AgentContext } from '@credo-ts/core'
import { expect, test } from 'vitest'
import { AgentOutOfBandService } from '../../../../lib/agent/invitations/out-of-band-service.ts'

const resolveServicesFromDid = async (_: AgentContext, did: string) => {
  if (did === 'did:web:gone.example') throw new Error('unreadable')
  return did === 'did:web:silent.example' ? [] : [{ id: did, recipientKeys: [] }]
}
const service = new AgentOutOfBandService({ resolve: () => ({ resolveServicesFromDid }) as never })
const resolved = (...dids: string[]) => service.getResolvedServiceForOutOfBandServices({} as AgentContext, dids)

test('the first one that can be used is', async () => {
  const [gone, silent, known] = ['did:web:gone.example', 'did:web:silent.example', 'did:web:known.example']
  expect(await resolved(gone, silent, known, 'did:web:other.example')).toMatchObject({ id: known })
  await expect(resolved(silent, gone)).rejects.toThrow('unreadable')
  await expect(resolved()).rejects.toThrow('service')
})
