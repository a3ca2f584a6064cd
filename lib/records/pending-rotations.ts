/** Index values of connections whose other agent rotates to a DID that has not authenticated a message yet. */
import { isObject } from '../json.ts'
import { shortForm } from './did-forms.ts'
import { PENDING_DID } from './record-json.ts'

const textsIn = (value: unknown): string[] => [value].flat().filter((one) => typeof one === 'string')

/** The key of a pending DID, and our DID, as a message has them. Any agent may rotate to a DID with this key. */
export const rotationBetween = (fingerprint: string, ourDid: string): string => `${fingerprint} ${shortForm(ourDid)}`

/** The values of a connection's pending rotation: one for each pair of a key of the new DID and a DID of ours. */
export const rotationsOf = ({ state, metadata, did, previousDids }: Record<string, unknown>): string[] => {
  const pending = isObject(metadata) && state !== 'abandoned' ? metadata[PENDING_DID] : undefined
  if (!isObject(pending)) return []
  const ours = [...textsIn(did), ...textsIn(previousDids)]
  return textsIn(pending.keyFingerprints).flatMap((key) => ours.map((own) => rotationBetween(key, own)))
}
