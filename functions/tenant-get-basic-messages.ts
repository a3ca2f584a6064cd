/** tenant_GetBasicMessages: the messages of a tenant's connection, oldest first, a page at a time. */
import { namedTenant } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { pageOf } from '../lib/http/page.ts'
import { TenantGetBasicMessages } from '../lib/interface/basic-messages.ts'
import { toBasicMessageJson } from '../lib/records/basic-message.ts'
import { tagPartition } from '../lib/store/index-entries.ts'
import { listRecords, requireRecord } from '../lib/store/record-reads.ts'

export const tenantGetBasicMessages = defineOperation(TenantGetBasicMessages, async ({ principal, path, query }) => {
  const { connectionId } = path
  const tenant = namedTenant(principal, path.tenantId)
  const [page] = await Promise.all([
    listRecords(tagPartition(tenant, 'BasicMessageRecord', 'connectionId', connectionId), query),
    requireRecord(tenant, 'ConnectionRecord', connectionId),
  ])
  return pageOf(page.records.map(toBasicMessageJson), {
    path: `/multi-tenancy/basic-messages/${connectionId}/${tenant}`,
    query,
    next: page.next,
  })
})
