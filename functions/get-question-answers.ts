/** GetQuestionAnswers: lists the questions of the token's agent. */
import { actingAgent } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { pageOf } from '../lib/http/request.ts'
import { GetQuestionAnswers } from '../lib/interface/question-answer.ts'
import { QUESTION_ANSWER, toQuestionAnswerJson } from '../lib/records/question-answer.ts'
import { everyPartition, tagPartition } from '../lib/store/index-entries.ts'
import { filterBy, listRecords } from '../lib/store/record-reads.ts'

type Filters = Record<'connectionId' | 'role' | 'state' | 'threadId', string | undefined>

export const getQuestionAnswers = defineOperation(GetQuestionAnswers, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: async ({ agent, query }) => {
    const { connectionId, role, state, threadId, ...paging } = query
    const filters = { connectionId, role, state, threadId }
    const page = await listRecords(partitionOf(agent, filters), paging, filterBy(filters))
    return pageOf(page.entries.map(toQuestionAnswerJson), { path: GetQuestionAnswers.path, query, next: page.next })
  },
})

/** The shortest list that contains all matches. */
const partitionOf = (tenant: string, { threadId, connectionId }: Filters): string => {
  if (threadId !== undefined) return tagPartition(tenant, QUESTION_ANSWER, 'threadId', threadId)
  if (connectionId !== undefined) return tagPartition(tenant, QUESTION_ANSWER, 'connectionId', connectionId)
  return everyPartition(tenant, QUESTION_ANSWER)
}
