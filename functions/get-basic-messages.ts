/** GetBasicMessages: lists the messages of a connection of the token's agent, oldest first. */
import { actingAgent } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { pageOf } from '../lib/http/request.ts'
import { GetBasicMessages } from '../lib/interface/basic-messages.ts'
import { toBasicMessageJson } from '../lib/records/basic-message.ts'
import { listBasicMessages } from '../lib/store/basic-messages.ts'

export const getBasicMessages = defineOperation(GetBasicMessages, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: async ({ agent, path: { connectionId }, query }) => {
    const { entries, next } = await listBasicMessages(agent, connectionId, query)
    return pageOf(entries.map(toBasicMessageJson), { path: `/basic-messages/${connectionId}`, query, next })
  },
})
