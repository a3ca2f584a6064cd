/** The tenant's own data of an issuance session, which wallets never see. */
import { invalidField } from '../errors.ts'
import type { JsonObject } from '../json.ts'
import type { StoredIssuanceSession } from '../records/openid4vci.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { loadSession, saveSession } from './session.ts'

/** Bytes of JSON: each step of a session writes it. */
const MAX_METADATA = 16 * 1024

/** Throws `request.invalid`. */
export const assertMetadataSize = (metadata: JsonObject = {}): void => {
  if (Buffer.byteLength(JSON.stringify(metadata)) > MAX_METADATA)
    throw invalidField('issuanceMetadata', `must be at most ${MAX_METADATA} bytes`)
}

/** Fields replace those with the same names. Throws `resource.not_found`, `request.invalid`. */
export const mergeMetadata = async (unit: UnitOfWork, id: string, more: JsonObject): Promise<StoredIssuanceSession> => {
  const session = await loadSession(unit, id)
  const merged = { ...session, issuanceMetadata: { ...session.issuanceMetadata, ...more } }
  assertMetadataSize(merged.issuanceMetadata)
  await saveSession(unit, merged)
  return merged
}
