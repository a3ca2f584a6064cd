/** Reads settings from the environment. An empty variable counts as not set; an invalid one is named in one line. */
import * as v from 'valibot'

/** The variables that are set. */
export const withoutEmpty = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))

/** `TENANT_RATE: is not a whole number from 1 to 999999` */
export const issueLine = (issue: v.BaseIssue<unknown>): string =>
  `${v.getDotPath(issue) ?? 'environment'}: ${issue.message}`

/** Throws an error whose message names the first invalid setting. */
export const parseSettings = <T>(schema: v.GenericSchema<unknown, T>, environment: NodeJS.ProcessEnv): T => {
  const parsed = v.safeParse(schema, withoutEmpty(environment))
  if (!parsed.success) throw new Error(issueLine(parsed.issues[0]))
  return parsed.output
}

/** A number in decimal digits. */
export const wholeNumber = (from: number, to: number) => {
  const message = `is not a whole number from ${from} to ${to}`
  return v.pipe(
    v.string(),
    v.regex(/^(0|[1-9]\d{0,9})$/, message),
    v.transform(Number),
    v.minValue(from, message),
    v.maxValue(to, message),
  )
}

/** A setting with its description for docs/deploy.md. */
export const described = <S extends v.GenericSchema>(setting: S, text: string) => v.pipe(setting, v.description(text))
