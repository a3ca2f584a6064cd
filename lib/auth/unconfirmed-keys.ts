/** The line of the log that tells that an issuer's keys are in use though its address has not confirmed them, and counts it. */
import { measure } from '../metrics.ts'

export const logUnconfirmed = (issuer: string, ageMs: number, now: number): void =>
  measure(
    'error',
    'the keys of an issuer are not confirmed',
    { event: 'issuer.keys_not_confirmed', issuer, ageMs: Math.round(ageMs) },
    { values: { IssuerKeysNotConfirmed: 1 }, now: Math.round(now) },
  )
