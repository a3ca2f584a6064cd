/** GetOutOfBandRecords: lists the invitations of the token's agent. */
import { actingAgent } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { pageOf } from '../lib/http/request.ts'
import { GetOutOfBandRecords } from '../lib/interface/out-of-band.ts'
import { toOutOfBandJson } from '../lib/records/out-of-band.ts'
import { everyPartition, tagPartition } from '../lib/store/index-entries.ts'
import { listIndexed } from '../lib/store/record-reads.ts'

export const getOutOfBandRecords = defineOperation(GetOutOfBandRecords, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: async ({ agent, query }) => {
    const { invitationId, ...paging } = query
    const partition =
      invitationId === undefined
        ? everyPartition(agent, 'OutOfBandRecord')
        : tagPartition(agent, 'OutOfBandRecord', 'invitationId', invitationId)
    const { entries, next } = await listIndexed(partition, paging)
    return pageOf(entries.map(toOutOfBandJson), { path: GetOutOfBandRecords.path, query, next })
  },
})
