/** The pre-authorized code of an offer, and its PIN: neither is stored. */
import { randomInt } from 'node:crypto'
import type { Mac } from '../openid/mac.ts'

/** `<session id>.<MAC>` (OpenID4VCI 1.0, section 4.1.1): the same each time. */
export const codeOf = (mac: Mac, { id, createdAt }: { id: string; createdAt: string }): string =>
  `${id}.${mac(`code ${id} ${createdAt}`)}`

const DIGITS = '0123456789'
/** Without letters and digits that look alike. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** A new PIN, in the form that `tx_code` describes to the wallet. */
export const newPin = ({ length, input_mode }: { length: number; input_mode: string }): string => {
  const characters = input_mode === 'numeric' ? DIGITS : LETTERS
  return Array.from({ length }, () => characters.charAt(randomInt(characters.length))).join('')
}

/** What is stored of a PIN. */
export const pinMacOf = (mac: Mac, sessionId: string, pin: string): string => mac(`pin ${sessionId} ${pin}`)
