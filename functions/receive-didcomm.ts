/** ReceiveDidcomm: a message of another agent: one envelope, one transaction, and the reply by return route. */
import '../lib/agent/compose.ts'
import { readEnvelope } from '../lib/agent/envelopes/index.ts'
import { handleOnce, logRejections, receiveEnvelope } from '../lib/agent/inbound/index.ts'
import { defineOperation, type InTransaction } from '../lib/http/operation.ts'
import { OperationResponse, type Result } from '../lib/http/request.ts'
import { ReceiveDidcomm } from '../lib/interface/didcomm.ts'
import { BASE_AGENT } from '../lib/records/tenant.ts'
import type { UnitOfWork } from '../lib/store/unit-of-work.ts'
import { readTenant } from '../lib/tenants/tenants.ts'

const ENVELOPE = { 'content-type': 'application/didcomm-envelope-enc' }

const responseWith = (packed: string): Result =>
  packed === '' ? undefined : new OperationResponse(JSON.parse(packed), ENVELOPE)

const inTransaction: InTransaction<UnitOfWork, undefined> = ({ agent }, handle) =>
  logRejections(agent, () => handleOnce(agent, handle, responseWith))

export const receiveDidcomm = defineOperation(
  ReceiveDidcomm,
  {
    authorize: ({ path: { tenantId }, body }) =>
      logRejections(tenantId ?? BASE_AGENT, async () => {
        // Before anything is read from the table.
        readEnvelope(body)
        return tenantId === undefined ? BASE_AGENT : (await readTenant(tenantId)).id
      }),
    handle: async ({ agent, body }) => responseWith(await receiveEnvelope(agent, readEnvelope(body))),
  },
  inTransaction,
)
