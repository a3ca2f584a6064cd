/** How many envelopes strangers may send in an account that runs few functions at once: they have a rate, and not all of the account. */
import { isObject, type Template } from '../service.ts'
import type { CapSettings } from './concurrency.ts'

/** By the setting that overrides it. */
export interface StrangerSettings extends CapSettings {
  DIDCOMM_RATE?: number | undefined
}

/** Functions at once for each envelope a second: 0.2 s each, at either of two addresses. */
const FUNCTIONS = 0.4

/** The methods that need no token: the paths of infra/stage.yml that begin so. */
const ADDRESSES = '/~1didcomm'

/** Lowers the rates of the template to as many a second as the account runs functions at once, of which they take two fifths then. */
export const applyStrangersRate = (
  template: Template,
  concurrency: number,
  { DIDCOMM_RATE }: StrangerSettings,
): void => {
  if (DIDCOMM_RATE !== undefined) return
  const settings: unknown = template.Resources.ApiStage?.Properties.MethodSettings
  for (const setting of Array.isArray(settings) ? settings : [])
    if (isObject(setting) && String(setting.ResourcePath).startsWith(ADDRESSES))
      for (const name of ['ThrottlingRateLimit', 'ThrottlingBurstLimit'])
        setting[name] = Math.min(Number(setting[name]), concurrency)
}

/** What an operator should know of a rate that was set, in a line; none where the account has room for it. */
export const strangerLosses = (concurrency: number, { DIDCOMM_RATE = 0 }: StrangerSettings): string[] =>
  DIDCOMM_RATE * FUNCTIONS <= concurrency / 2
    ? []
    : [
        `DIDCOMM_RATE=${DIDCOMM_RATE}: strangers may take ${Math.ceil(DIDCOMM_RATE * FUNCTIONS)} of the account's ${concurrency} concurrent functions: set ${concurrency} or less, or leave it out`,
      ]
