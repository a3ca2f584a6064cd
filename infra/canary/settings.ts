/** How a stage that asks for it moves to another version of its functions. */
import * as v from 'valibot'

const wholeNumber = (most: number) =>
  v.pipe(
    v.string(),
    v.regex(/^[1-9]\d{0,2}$/, `is not a whole number of 1 to ${most}`),
    v.transform(Number),
    v.maxValue(most, `is not a whole number of 1 to ${most}`),
  )

export const CanarySettings = v.object({
  /** Share of the invocations that a new version of a function gets first, in percent; without it there is no canary. */
  CANARY_PERCENT: v.optional(wholeNumber(99)),
  /** How long it has to do well. CloudFormation watches for 180 minutes at most. */
  CANARY_MINUTES: v.optional(wholeNumber(180), '10'),
})

export interface Canary {
  percent: number
  minutes: number
}

/** Undefined: none is asked for. Throws an error that names the setting. An empty setting is one that is not there. */
export const canaryOf = (environment: NodeJS.ProcessEnv): Canary | undefined => {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const parsed = v.safeParse(CanarySettings, given)
  if (!parsed.success) throw new Error(`${v.getDotPath(parsed.issues[0])}: ${parsed.issues[0].message}`)
  const { CANARY_PERCENT: percent, CANARY_MINUTES: minutes } = parsed.output
  return percent === undefined ? undefined : { percent, minutes }
}
