/** The settings of a deployment that concern watching it; infra/stage.yml and serverless.yml read TRACING. */
import * as v from 'valibot'

const Count = v.pipe(v.string(), v.regex(/^[1-9]\d{0,6}$/, 'is not a whole number'), v.transform(Number))

export const WatchSettings = v.object({
  /** Who is told of alarms; without it nobody is, until somebody subscribes to the topic. */
  ALARM_EMAIL: v.optional(v.pipe(v.string(), v.email('is not an e-mail address'))),
  /** Lanes that may wait for their receivers before it is an alarm. */
  WAITING_LANES: v.optional(Count, '1000'),
  /** Functions that the account may run at once; without it `deploy` asks the account. */
  ACCOUNT_CONCURRENCY: v.optional(Count),
  /** X-Ray's traces of requests and functions. */
  TRACING: v.optional(v.picklist(['on', 'off'], 'is neither on nor off'), 'off'),
})
export type WatchSettings = v.InferOutput<typeof WatchSettings>
