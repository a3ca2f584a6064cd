/** Records which kinds of AWS calls each function makes, once each, for the test that compares them with its role. */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { IsAllowed } from './policy.ts'

/** A kind of call: keys and scopes stand for all that are made alike. */
export interface RecordedCall {
  function: string
  action: string
  resource: string
  /** Of a partition key, or of the scope of a data key; absent where the call has neither. */
  key?: string
}

/** The fixed parts of keys (lib/store/keys.ts): the first part, the second, and later ones. */
const FIRST = /^@(?!base$)/
const SECOND =
  /^(\w+Record|context|count|data-key|definition|definition-slot|delivery|idempotency|issuer-did|job|key|ledger-object|message|did-web|openid4vci-claims|openid4vci-nonce|openid4vp-result|pickup|pickup-usage|revocation|revocation-registry|status-index|status-list|status-lists|webvh|webvh-seen)$/
const LATER = /^(data-key|document|events|lane|log|resource|slot|tenants|waiting)$/

/** A partition key with `*` in the place of ids and hashes. */
export const kindOf = (key: string): string => {
  const [first = '', second = '', ...others] = key.split('|')
  const isAgent = !FIRST.test(first)
  const parts = [
    isAgent ? '*' : first,
    ...(second === '' ? [] : [(isAgent || first === '@service') && SECOND.test(second) ? second : '*']),
    ...others.map((part) => (LATER.test(part) ? part : '*')),
  ]
  return parts.filter((part, index) => part !== '*' || parts[index - 1] !== '*').join('|')
}

/** Allows everything, and appends it to a file of this process in `folder`, at once: a process may end at any time. */
export const recorder = (folder: string): IsAllowed => {
  const known = new Set<string>()
  const file = join(folder, `${process.pid}-${Date.now()}.jsonl`)
  return (functionKey, { action, resource, context }) => {
    const keys = Object.values(context).flat()
    for (const key of keys.length === 0 ? [undefined] : new Set(keys.map(kindOf))) {
      const recorded: RecordedCall = { function: functionKey, action, resource, ...(key !== undefined && { key }) }
      const line = JSON.stringify(recorded)
      if (known.has(line)) continue
      known.add(line)
      appendFileSync(file, `${line}\n`)
    }
    return true
  }
}
