/** Exchanges that have come to their end, by format and state. */
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { FORMATS } from '../../../lib/metrics.ts'
import { PROOF_STATES } from '../../../lib/records/proof.ts'
import { PROVES_DEFINITION, VERIFIER_CONTEXTS } from '../../../lib/records/record-json.ts'
import { countEnded, type EndedExchange, endOf } from '../../../lib/webhooks/ended-exchanges.ts'
import type { Fact } from '../../../lib/webhooks/facts.ts'
import { storedIn } from './event-scenes.ts'

Object.assign(process.env, { TABLE_NAME: 'agent', PUBLIC_URL: 'http://localhost:3000', LOG_LEVEL: 'info' })

const lines: Record<string, unknown>[] = []
beforeEach(() => {
  lines.length = 0
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(JSON.parse(line)))
})

const withMetadata = (type: string, state: string, ...names: string[]) =>
  storedIn(type, state, 1, { metadata: Object.fromEntries(names.map((name) => [name, {}])) })

describe('the end of an exchange', () => {
  test('is one of three states', () => {
    const ends = PROOF_STATES.filter((state) => endOf(storedIn('ProofRecord', state)) !== undefined)
    expect(ends).toEqual(['done', 'declined', 'abandoned'])
    expect(endOf(storedIn('ConnectionRecord', 'done'))).toBeUndefined()
    expect(endOf({ type: 'ProofRecord', value: {} })).toBeUndefined()
  })

  const KNOWN_BY: [type: string, names: string[], format: string, state?: string][] = [
    ['CredentialRecord', [], 'credential/json-ld'],
    ['CredentialRecord', ['_anoncreds/credential'], 'credential/anoncreds'],
    ['ProofRecord', [VERIFIER_CONTEXTS], 'proof/presentation-exchange'],
    ['ProofRecord', [], 'proof/anoncreds'],
    ['OpenId4VcVerificationSessionRecord', [], 'presentation/openid4vp', 'ResponseVerified'],
    ['OpenId4VcIssuanceSessionRecord', [], 'credential/openid4vci', 'Completed'],
  ]

  test.each(KNOWN_BY)('of a %s with the metadata %j is of the format %s', (type, names, format, state = 'done') => {
    expect(endOf(withMetadata(type, state, ...names))).toEqual({ format, state })
  })

  test("of a prover's exchange is of the format that it was asked in", () => {
    expect(endOf(withMetadata('ProofRecord', 'done', PROVES_DEFINITION))).toMatchObject({
      format: 'proof/presentation-exchange',
    })
  })

  test('is of one of the formats that are counted, each of which is known by something', () => {
    expect(KNOWN_BY.map(([, , format]) => format)).toEqual([...FORMATS])
  })

  test('is counted by format and state, and by nothing of the tenant', () => {
    const fact = (ended?: Fact['ended']) => ({ of: { tenant: 'acme' }, recordId: 'r1', ended }) as Fact
    const done: EndedExchange = { format: 'credential/json-ld', state: 'done' }
    countEnded([fact(done), fact(), fact({ format: 'proof/anoncreds', state: 'abandoned' }), fact(done)])
    expect(lines).toMatchObject([
      { event: 'exchange.ended', ExchangesEnded: 2, Format: 'credential/json-ld', State: 'done' },
      { event: 'exchange.ended', ExchangesEnded: 1, Format: 'proof/anoncreds', State: 'abandoned' },
    ])
    expect(JSON.stringify(lines)).not.toMatch(/acme|r1/)
  })
})
