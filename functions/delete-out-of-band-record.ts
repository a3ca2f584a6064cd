/** DeleteOutOfBandRecord: deletes an invitation, so that nobody can accept it any more. */
import { actingAgent } from '../lib/auth/access.ts'
import { AgentError } from '../lib/errors.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { DeleteOutOfBandRecord } from '../lib/interface/out-of-band.ts'

export const deleteOutOfBandRecord = defineOperation(DeleteOutOfBandRecord, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: async ({ agent, path, unit }) => {
    if (await unit.remove(agent, 'OutOfBandRecord', path.outOfBandId)) return undefined
    throw new AgentError('resource.not_found', 'there is no such record')
  },
  inTransaction,
})
