/** GetBasicMessages: lists the messages of a connection of the token's agent, oldest first. */

import { query } from '../lib/http/query.ts'
import { pageOf } from '../lib/http/request.ts'
import { GetBasicMessages } from '../lib/interface/basic-messages.ts'
import { listBasicMessages } from '../lib/readers/basic-messages.ts'
import { toBasicMessageJson } from '../lib/records/delivery.ts'

export const getBasicMessages = query(GetBasicMessages, async ({ agent, path: { connectionId }, query }) => {
  const page = await listBasicMessages(agent, connectionId, query)
  return pageOf(page, toBasicMessageJson, { path: `/basic-messages/${connectionId}`, query })
})
