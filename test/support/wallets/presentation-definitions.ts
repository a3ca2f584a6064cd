/** Presentation definitions for tests, and Credo's verdict on them. */
import 'reflect-metadata'
import { DifPresentationExchangeService } from '@credo-ts/core'

/** Credo's own verdict; its engine decides on `createRequest`. */
export const credoTakes = (definition: unknown): boolean => {
  try {
    const service: unknown = Reflect.construct(DifPresentationExchangeService, [])
    const { validatePresentationDefinition } = DifPresentationExchangeService.prototype
    Reflect.apply(validatePresentationDefinition, service, [structuredClone(definition)])
    return true
  } catch {
    return false
  }
}

/** JSONPath as tenants may write it. */
export const PATHS = [
  '$',
  '$.a',
  '$..a',
  '$.a.*',
  '$..*',
  '$[*]',
  '$.a[0]',
  '$.a[-1]',
  '$.a[0,1]',
  '$.a[1:]',
  '$.a[::2]',
  "$['a b']",
  '$["@context"][0]',
  "$['a','b']",
  "$..['a']",
  '$.0',
]
