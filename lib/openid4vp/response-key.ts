/** The private key with which a wallet's answer is decrypted: sealed in its session, until the answer came. */
import * as v from 'valibot'
import { PrivateJwk } from '../keys/key-pair.ts'
import { verificationSessionRecords } from '../records/openid-kinds.ts'
import type { StoredVerificationSession } from '../records/openid4vp.ts'
import { ensureDataKey, open, openDataKey, seal } from '../store/data-keys.ts'
import { recordAddress } from '../store/keys.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

const placeOf = (tenant: string, id: string): string => recordAddress(tenant, verificationSessionRecords.type, id).pk

/** Seals what is private of the key for a session's answer. */
export const sealKey = async (unit: UnitOfWork, id: string, { d }: PrivateJwk): Promise<string> => {
  const key = await ensureDataKey(unit, unit.tenant)
  return Buffer.from(seal(Buffer.from(d, 'base64url'), key, placeOf(unit.tenant, id))).toString('base64')
}

export const openKey = async (
  tenant: string,
  { id, encryptionKey }: StoredVerificationSession,
): Promise<PrivateJwk> => {
  const sealed = Buffer.from(encryptionKey?.sealed ?? '', 'base64')
  const d = open(sealed, await openDataKey(tenant), placeOf(tenant, id))
  return v.parse(PrivateJwk, { ...encryptionKey?.publicJwk, d: Buffer.from(d).toString('base64url') })
}
