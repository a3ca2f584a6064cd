/** Limits the rate of strangers' envelopes in an account with a low concurrency, so that they can't use up all of it. */
import { isObject, type Template } from '../service.ts'
import type { CapSettings } from './concurrency.ts'

/** Settings; `DIDCOMM_RATE` overrides the limit. */
export interface StrangerSettings extends CapSettings {
  DIDCOMM_RATE?: number | undefined
}

/** Concurrent functions for each envelope per second: 0.2 s each, at either of two addresses. */
const FUNCTIONS = 0.4

/** The methods that need no token: the paths of infra/stage.yml that begin so. */
const ADDRESSES = '/~1didcomm'

/** Limits the rates of the template, per second, to the account's concurrency. Strangers then use at most two fifths of it. */
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

/** A warning if the given rate may use more than half of the account's concurrency; otherwise none. */
export const strangerLosses = (concurrency: number, { DIDCOMM_RATE = 0 }: StrangerSettings): string[] =>
  DIDCOMM_RATE * FUNCTIONS <= concurrency / 2
    ? []
    : [
        `DIDCOMM_RATE=${DIDCOMM_RATE}: strangers may take ${Math.ceil(DIDCOMM_RATE * FUNCTIONS)} of the account's ${concurrency} concurrent functions: set ${concurrency} or less, or leave it out`,
      ]
