/** A verification session as the API and events show it. Every function that writes has it, so it imports no schema. */

/** Stored fields of a session that are not shown: lib/records/openid4vp.ts. */
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

/** Not shown before the code is presented: another person may have responded (OpenID4VP 1.0, section 13.3). */
const RESPONSE_FIELDS = ['checks', 'credentials']

interface CodeState {
  codeTries?: number | undefined
  /** ISO 8601 in UTC. */
  codeExpiresAt?: string | undefined
}

/** Number of wrong codes after which a session ends. */
const MAX_CODE_TRIES = 5

/** Whether the code has expired, or was wrong too often. */
export const isCodeInvalid = ({ codeTries = 0, codeExpiresAt = '' }: CodeState, now: Date): boolean =>
  codeTries >= MAX_CODE_TRIES || codeExpiresAt <= now.toISOString()

/** A session as the API and events show it. It ends when its code expires, without a write. */
export const shownSession = (value: Record<string, unknown>, now = new Date()): Record<string, unknown> => {
  const isCodeMissing = value.state === 'ResponseReceived'
  const hidden = isCodeMissing ? [...HIDDEN, ...RESPONSE_FIELDS] : HIDDEN
  const shown = Object.fromEntries(Object.entries(value).filter(([name]) => !hidden.includes(name)))
  if (!isCodeMissing || !isCodeInvalid(value as CodeState, now)) return shown
  return { ...shown, state: 'Error', error: 'response_code', errorMessage: 'the response code was not presented' }
}
