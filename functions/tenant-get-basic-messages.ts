/** tenant_GetBasicMessages: the messages of a tenant's connection, oldest first, a page at a time. */
import { namedTenant } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { pageOf } from '../lib/http/request.ts'
import { TenantGetBasicMessages } from '../lib/interface/basic-messages.ts'
import { toBasicMessageJson } from '../lib/records/basic-message.ts'
import { tagPartition } from '../lib/store/index-entries.ts'
import { listRecords, requireRecord } from '../lib/store/record-reads.ts'

export const tenantGetBasicMessages = defineOperation(TenantGetBasicMessages, {
  authorize: ({ principal, path }) => namedTenant(principal, path.tenantId),
  handle: async ({ agent, path, query }) => {
    const { connectionId } = path
    const [page] = await Promise.all([
      listRecords(tagPartition(agent, 'BasicMessageRecord', 'connectionId', connectionId), query),
      requireRecord(agent, 'ConnectionRecord', connectionId),
    ])
    return pageOf(page.records.map(toBasicMessageJson), {
      path: `/multi-tenancy/basic-messages/${connectionId}/${agent}`,
      query,
      next: page.next,
    })
  },
})
