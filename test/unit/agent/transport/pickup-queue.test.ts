/** Metadata of a fetched message (Aries RFC 0685: `lastmod_time`). */
import { AgentContext, DependencyManager } from '@credo-ts/core'
import { expect, test } from 'vitest'
import { PickupQueue } from '../../../../lib/agent/transport/pickup-queue.ts'
import { newOutboxId } from '../../../../lib/outbox/messages/outbox-id.ts'
import { pickupMessage } from '../../../../lib/pickup/pickup-item.ts'
import { transaction } from '../../../../lib/store/transaction.ts'
import { useTable } from '../../store/use-table.ts'

const table = await useTable({ memory: true, check: false })

test('when it was sent, not when it is fetched', async () => {
  const createdAt = new Date(0).toISOString()
  const message = { tenant: 'acme', connectionId: 'c', id: newOutboxId(), payload: '{"to":"them"}', recipients: [] }
  await table.put(pickupMessage.encode({ ...message, createdAt }))
  const agentContext = new AgentContext({ contextCorrelationId: 'acme', dependencyManager: new DependencyManager() })
  const take = () => new PickupQueue().takeFromQueue(agentContext, { connectionId: 'c', limit: 1 })
  expect(await transaction('acme', take)).toEqual([
    { id: message.id, receivedAt: new Date(0), encryptedMessage: { to: 'them' } },
  ])
})
