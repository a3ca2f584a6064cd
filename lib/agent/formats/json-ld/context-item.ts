/** The item of a stored JSON-LD context. */
import { isObject } from '../../../json.ts'
import type { Owner } from '../../../records/owners.ts'
import { VERIFIER_CONTEXTS } from '../../../records/record-json.ts'
import { defineItem } from '../../../store/item.ts'
import { inKey, packedText, text } from '../../../store/item-fields.ts'
import { type Address, address } from '../../../store/keys.ts'

export interface StoredContext {
  /** The owner: a tenant's id, BASE_AGENT, or SERVICE_SCOPE for contexts of the setting TRUSTED_CONTEXTS. */
  scope: string
  /** SHA-256 of the text, base64url. */
  digest: string
}

/** The partitions of the contexts of a proof request that belong to its tenant. */
const contextsOf = ({ tenant, value: { metadata } }: Owner): string[] => {
  const { contexts } = Object(isObject(metadata) ? metadata[VERIFIER_CONTEXTS] : undefined)
  const stored = [contexts ?? []].flat().map((context) => Object(Object(context).stored))
  return stored.filter(({ scope }) => scope === tenant).map((context) => addressOf(context).pk)
}

const addressOf = ({ scope, digest }: StoredContext): Address => address(`${scope}|context|${digest}`)

export const contextItem = defineItem(
  'context',
  addressOf,
  { pk: inKey('pk', text()), text: packedText() },
  { shared: { ProofRecord: contextsOf } },
)
