/** A verification session as the API and events show it: every function that writes has it, so it knows no schema. */

/** Fields that are kept of a session and not shown: lib/records/openid4vp.ts. */
const HIDDEN = [
  'payload',
  'certificateId',
  'encryptionKey',
  'trustedCertificates',
  'resultTtl',
  'responseCode',
  'codeTries',
  'codeExpiresAt',
]

/** Not shown before the code was given: who answered may be somebody else (OpenID4VP 1.0, section 13.3). */
const OF_THE_RESPONSE = ['checks', 'credentials']

interface Coded {
  codeTries?: number | undefined
  /** ISO 8601 in UTC. */
  codeExpiresAt?: string | undefined
}

/** Wrong codes after which a session ends. */
const MAX_CODE_TRIES = 5

/** Whether the code was not given in time, or wrongly too often. */
export const hasLostCode = ({ codeTries = 0, codeExpiresAt = '' }: Coded, now: Date): boolean =>
  codeTries >= MAX_CODE_TRIES || codeExpiresAt <= now.toISOString()

/** A session as the API and events show it. A code that was not given ends it by the time alone. */
export const shownSession = (value: Record<string, unknown>, now = new Date()): Record<string, unknown> => {
  const isCodeMissing = value.state === 'ResponseReceived'
  const hidden = isCodeMissing ? [...HIDDEN, ...OF_THE_RESPONSE] : HIDDEN
  const shown = Object.fromEntries(Object.entries(value).filter(([name]) => !hidden.includes(name)))
  if (!isCodeMissing || !hasLostCode(value as Coded, now)) return shown
  return { ...shown, state: 'Error', error: 'response_code', errorMessage: 'the response code was not given' }
}
