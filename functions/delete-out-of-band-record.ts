/** DeleteOutOfBandRecord: deletes an invitation, so that nobody can accept it any more. */
import { AgentError } from '../lib/errors.ts'
import { command } from '../lib/http/command.ts'
import { DeleteOutOfBandRecord } from '../lib/interface/out-of-band.ts'

export const deleteOutOfBandRecord = command(DeleteOutOfBandRecord, async ({ agent, path, unit }) => {
  if (await unit.remove(agent, 'OutOfBandRecord', path.outOfBandId)) return undefined
  throw new AgentError('resource.not_found', 'there is no such record')
})
