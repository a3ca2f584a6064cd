/** Nonces of proofs (OpenID4VCI 1.0, section 7): a nonce is written only when it is used. */
import { randomBytes } from 'node:crypto'
import { AgentError } from '../errors.ts'
import { isSame } from '../openid/compare.ts'
import type { Mac } from '../openid/mac.ts'
import { defineItem } from '../store/item.ts'
import { integer } from '../store/item-fields.ts'
import { address, digest } from '../store/keys.ts'
import { epochSeconds } from '../store/table.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

const NONCE_SECONDS = 5 * 60

/** Seconds for which a mark outlives its nonce: clocks of functions differ. */
const MARGIN = 60

/** `expiresAt` in epoch seconds. */
const nonceMark = defineItem(
  'openid4vci-nonce',
  ({ tenant, nonce }: { tenant: string; nonce: string }) => address(`${tenant}|openid4vci-nonce|${digest(nonce)}`),
  { expiresAt: integer() },
  'expiry',
)

const macOfNonce = (mac: Mac, content: string): string => mac(`nonce ${content}`)

/** `<expiry in base 36>.<16 random bytes>.<MAC>` */
export const newNonce = (mac: Mac): string => {
  const content = `${(epochSeconds() + NONCE_SECONDS).toString(36)}.${randomBytes(16).toString('base64url')}`
  return `${content}.${macOfNonce(mac, content)}`
}

const NONCE = /^(([0-9a-z]{1,10})\.[\w-]{22})\.([\w-]{43})$/

/** Section 8.3.1.2: the wallet requests a new one, which no error contains. */
const invalidNonce = () => new AgentError('oauth.invalid_nonce', 'the nonce is not valid, or was used')

/** Marks a nonce of the issuer as used. Throws `oauth.invalid_nonce`, and so does the commit. */
export const useNonce = (unit: UnitOfWork, mac: Mac, nonce: unknown): void => {
  if (typeof nonce !== 'string') throw invalidNonce()
  const [, content = '', expiry = '', code = ''] = NONCE.exec(nonce) ?? []
  const expiresAt = Number.parseInt(expiry, 36)
  if (!isSame(code, macOfNonce(mac, content)) || expiresAt <= epochSeconds()) throw invalidNonce()
  unit.create(nonceMark.encode({ tenant: unit.tenant, nonce, expiresAt: expiresAt + MARGIN }), invalidNonce)
}
