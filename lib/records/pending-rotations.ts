/** Values of the index of connections whose other agent rotates to a DID that has not authenticated a message yet. */
import { isObject } from '../json.ts'
import { shortForm } from './did-forms.ts'
import { PENDING_DID } from './record-json.ts'

const textsIn = (value: unknown): string[] => [value].flat().filter((one) => typeof one === 'string')

/** What a message of a pending DID names: its key, and our DID. Anybody may rotate to a DID with this key. */
export const rotationBetween = (fingerprint: string, ourDid: string): string => `${fingerprint} ${shortForm(ourDid)}`

/** Of the DID to which the other agent of a connection rotates, one for each of its keys and of our DIDs. */
export const rotationsOf = ({ state, metadata, did, previousDids }: Record<string, unknown>): string[] => {
  const pending = isObject(metadata) && state !== 'abandoned' ? metadata[PENDING_DID] : undefined
  if (!isObject(pending)) return []
  const ours = [...textsIn(did), ...textsIn(previousDids)]
  return textsIn(pending.keyFingerprints).flatMap((key) => ours.map((own) => rotationBetween(key, own)))
}
