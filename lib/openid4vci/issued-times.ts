/** Times of a credential, rounded so that they do not distinguish copies, or credentials that were issued on the same day. */
import type { StoredCertificate } from '../records/certificate.ts'

const HOUR = 60 * 60
const DAY = 24 * HOUR

/** Epoch seconds. */
export interface IssuedTimes {
  iat: number
  exp?: number
}

/** Rounded up to the hour, or to the day if more than 7 days are left. */
const roundedEnd = (exp: number, now: number): number => {
  const step = exp > now + 7 * DAY ? DAY : HOUR
  return Math.ceil(exp / step) * step
}

/** Within the certificate's validity. Undefined if the payload or the certificate is not valid now. */
export const issuedTimes = (
  { exp }: { exp?: unknown },
  certificate: Pick<StoredCertificate, 'notBefore' | 'notAfter'>,
  at: Date,
): IssuedTimes | undefined => {
  const now = Math.floor(at.getTime() / 1000)
  const begin = Math.ceil(Date.parse(certificate.notBefore) / 1000)
  const end = Math.floor(Date.parse(certificate.notAfter) / 1000)
  const iat = Math.max(now - (now % DAY), begin)
  if (begin > now || end <= now) return undefined
  if (typeof exp !== 'number') return { iat }
  return exp <= now ? undefined : { iat, exp: Math.min(roundedEnd(exp, now), end) }
}
