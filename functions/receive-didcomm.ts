/** ReceiveDidcomm: a message of another agent: one envelope, one transaction, and the reply by return route. */
import '../lib/agent/compose.ts'
import { readEnvelope } from '../lib/agent/envelopes/index.ts'
import { logRejections, receiveEnvelope } from '../lib/agent/inbound/index.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { OperationResponse } from '../lib/http/request.ts'
import { ReceiveDidcomm } from '../lib/interface/didcomm.ts'
import { BASE_AGENT } from '../lib/records/tenant.ts'
import { readTenant } from '../lib/store/tenants.ts'

const ENVELOPE = { 'content-type': 'application/didcomm-envelope-enc' }

export const receiveDidcomm = defineOperation(ReceiveDidcomm, {
  handle: ({ path: { tenantId }, body, signal }) =>
    logRejections(tenantId ?? BASE_AGENT, async () => {
      const envelope = readEnvelope(body)
      if (tenantId !== undefined) await readTenant(tenantId)
      const returned = await receiveEnvelope(tenantId ?? BASE_AGENT, envelope, signal)
      return returned === '' ? undefined : new OperationResponse(JSON.parse(returned), ENVELOPE)
    }),
})
