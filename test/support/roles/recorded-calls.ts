/** The calls of AWS that the functions were seen to make, as `npm run record-calls` wrote them down. */
import { readFileSync } from 'node:fs'
import type { Call } from '../../../infra/roles/policy.ts'

export const RECORDED_CALLS = 'test/unit/infra/deployment/recorded-calls.json'

/** Kinds of keys by function, then by action and resource: `dynamodb:GetItem Table`. */
export type RecordedCalls = Record<string, Record<string, string[]>>

export interface KindOfCall extends Call {
  /** Of its partition key or scope. */
  kind: string | undefined
}

const CONTEXT_KEYS: Record<string, string> = {
  dynamodb: 'dynamodb:LeadingKeys',
  kms: 'kms:EncryptionContext:scope',
}

/** What a function was seen to do, one call of each kind. */
export const recordedCalls = (functionKey: string): KindOfCall[] => {
  const recorded: RecordedCalls = JSON.parse(readFileSync(RECORDED_CALLS, 'utf8'))
  return Object.entries(recorded[functionKey] ?? {}).flatMap(([call, kinds]): KindOfCall[] => {
    const [action = '', resource = ''] = call.split(' ')
    const contextKey = CONTEXT_KEYS[action.split(':')[0] ?? '']
    if (contextKey === undefined || kinds.length === 0) return [{ action, resource, kind: undefined, context: {} }]
    return kinds.map((kind) => ({ action, resource, kind, context: { [contextKey]: [kind] } }))
  })
}
