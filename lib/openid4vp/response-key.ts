/** The private key that decrypts a wallet's response: sealed in its session until the response is received. */
import * as v from 'valibot'
import { PrivateJwk } from '../keys/key-pair.ts'
import { verificationSessionRecords } from '../records/openid-kinds.ts'
import type { StoredVerificationSession } from '../records/openid4vp.ts'
import { ensureDataKey, requireDataKey, seal, unseal } from '../store/data-keys.ts'
import { recordAddress } from '../store/keys.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

const placeOf = (tenant: string, id: string): string => recordAddress(tenant, verificationSessionRecords.type, id).pk

/** Seals the private part of the key for a session's response. */
export const sealKey = async (unit: UnitOfWork, id: string, { d }: PrivateJwk): Promise<string> => {
  const key = await ensureDataKey(unit, unit.tenant)
  return Buffer.from(seal(Buffer.from(d, 'base64url'), key, placeOf(unit.tenant, id))).toString('base64')
}

export const unsealKey = async (
  tenant: string,
  { id, encryptionKey }: StoredVerificationSession,
): Promise<PrivateJwk> => {
  const sealed = Buffer.from(encryptionKey?.sealed ?? '', 'base64')
  const d = unseal(sealed, await requireDataKey(tenant), placeOf(tenant, id))
  return v.parse(PrivateJwk, { ...encryptionKey?.publicJwk, d: Buffer.from(d).toString('base64url') })
}
