/** The settings of a deployment that concern watching it; infra/stage.yml and serverless.yml read TRACING. */
import * as v from 'valibot'
import { described, wholeNumber } from '../settings.ts'

const Count = wholeNumber(1, 9_999_999)

export const WatchSettings = v.object({
  ALARM_EMAIL: described(
    v.optional(v.pipe(v.string(), v.email('is not an e-mail address'))),
    'Who is told of alarms; without it nobody is, until somebody subscribes to the topic.',
  ),
  WAITING_LANES: described(
    v.optional(Count, '1000'),
    'Lanes of messages and events that may wait before it is an alarm; 1000 by default.',
  ),
  ACCOUNT_CONCURRENCY: described(
    v.optional(Count),
    'Functions that the account may run at once, for an alarm at 80 %; asked of the account by default.',
  ),
  TRACING: described(
    v.optional(v.picklist(['on', 'off'], 'is neither on nor off'), 'off'),
    '`on`: X-Ray shows requests, functions and calls to DynamoDB.',
  ),
})
export type WatchSettings = v.InferOutput<typeof WatchSettings>
