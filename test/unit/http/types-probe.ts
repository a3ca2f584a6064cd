import { type Act, answer, defineOperation, type OperationRequest } from '../../../lib/http/operation.ts'
import { SendMessage, TenantGetBasicMessages } from '../../../lib/interface/basic-messages.ts'
import { CreateRequest } from '../../../lib/interface/proofs.ts'
import { ReceiveDidcomm } from '../../../lib/interface/didcomm.ts'
import { GetHealth } from '../../../lib/interface/service.ts'
import { RegisterNotificationWebhook } from '../../../lib/interface/webhooks.ts'
import type { Principal } from '../../../lib/auth/principal.ts'
const transactional = <R extends OperationRequest>(act: Act<R>): Act<R> => act
type Eq<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <A, B>(_: Eq<A, B>) => {}
export const sendMessage = defineOperation(SendMessage, transactional(async ({ path, body, principal, query }) => {
  same<typeof path, { connectionId: string }>(true); same<typeof body, { content: string }>(true); same<typeof principal, Principal>(true)
  same<typeof query, Record<string, never>>(true)
  return { id: path.connectionId }
}))
defineOperation(TenantGetBasicMessages, async ({ query, body }) => {
  same<typeof query, { limit: number; cursor?: string | undefined; order: 'asc' | 'desc' }>(true); same<typeof body, undefined>(true)
  return answer([], { headers: { link: 'x' } })
})
defineOperation(CreateRequest, async ({ body }) => { same<typeof body.protocolVersion, 'v1' | 'v2'>(true); body.proofFormats.indy?.requested_attributes?.x?.names; return {} })
defineOperation(ReceiveDidcomm, async ({ body, path, principal }) => { same<typeof principal, undefined>(true); same<typeof path.tenantId, string | undefined>(true); same<typeof body, {[x: string]: unknown}>(true); return undefined })
defineOperation(RegisterNotificationWebhook, async ({ principal }) => { same<typeof principal, Principal | undefined>(true); return {} }, { verify: async () => { throw new Error() } })
// @ts-expect-error verify is required
defineOperation(RegisterNotificationWebhook, async () => ({}))
// @ts-expect-error verify is not wanted
defineOperation(GetHealth, async () => ({}), { verify: async () => { throw new Error() } })
// @ts-expect-error no such field
defineOperation(SendMessage, async ({ body }) => ({ x: body.nothing }))
