/** How a stage that asks for it moves to another version of its functions. */
import * as v from 'valibot'
import { parseSettings, wholeNumber } from '../settings.ts'

export const CanarySettings = v.object({
  /** Share of the invocations that a new version of a function gets first, in percent; without it there is no canary. */
  CANARY_PERCENT: v.optional(wholeNumber(1, 99)),
  /** How long it has to do well. CloudFormation watches for 180 minutes at most. */
  CANARY_MINUTES: v.optional(wholeNumber(1, 180), '10'),
})

export interface Canary {
  percent: number
  minutes: number
}

/** Undefined: none is asked for. Throws an error that names the setting. */
export const canaryOf = (environment: NodeJS.ProcessEnv): Canary | undefined => {
  const { CANARY_PERCENT: percent, CANARY_MINUTES: minutes } = parseSettings(CanarySettings, environment)
  return percent === undefined ? undefined : { percent, minutes }
}
