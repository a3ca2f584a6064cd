/** How a stage that asks for it moves to another version of its functions. */
import * as v from 'valibot'
import { parseSettings, wholeNumber } from '../settings.ts'

export const CanarySettings = v.object({
  CANARY_PERCENT: v.pipe(
    v.optional(wholeNumber(1, 99)),
    v.description('Share of invocations that new versions get first, in percent; without it there is no canary.'),
  ),
  CANARY_MINUTES: v.pipe(
    // CloudFormation watches for 180 at most.
    v.optional(wholeNumber(1, 180), '10'),
    v.description('Minutes that new versions have to do well with that share; 10 by default.'),
  ),
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
