/** The settings of a deployment for its monitoring; infra/stage.yml and serverless.yml read TRACING. */
import * as v from 'valibot'
import { described, wholeNumber } from '../settings.ts'

const Count = wholeNumber(1, 9_999_999)

export const WatchSettings = v.object({
  ALARM_EMAIL: described(
    v.optional(v.pipe(v.string(), v.email('is not an e-mail address'))),
    'E-mail address that receives alarms; without it, subscribe to the topic.',
  ),
  WAITING_LANES: described(
    v.optional(Count, '1000'),
    'Number of waiting lanes above which an alarm is raised; 1000 by default.',
  ),
  ACCOUNT_CONCURRENCY: described(
    v.optional(Count),
    'Concurrent functions that the account allows, for an alarm at 80 %; read from the account by default.',
  ),
  TRACING: described(
    v.optional(v.picklist(['on', 'off'], 'is neither on nor off'), 'off'),
    '`on`: X-Ray shows requests, functions and calls to DynamoDB.',
  ),
})
export type WatchSettings = v.InferOutput<typeof WatchSettings>
